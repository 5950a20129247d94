"""Holds a recorded conversation with a language server.

    converse.py SERVER CONVERSATION.json

The file is a list of messages. Each is sent in the protocol's framing; after a request, what the server
says is printed, one message a line with sorted keys, until its answer came.
"""

import json
import subprocess
import sys


def read(pipe):
    length = None
    while line := pipe.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return None if length is None else json.loads(pipe.read(length))


def main(server, path):
    with open(path) as file:
        conversation = json.load(file)
    process = subprocess.Popen([server], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for message in conversation:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        process.stdin.flush()
        while "id" in message:
            answer = read(process.stdout)
            if answer is None:
                sys.exit(f"expected an answer to {message['method']}, found the end")
            print(json.dumps(answer, sort_keys=True, ensure_ascii=False), flush=True)
            if answer.get("id") == message["id"]:
                break
    process.stdin.close()
    print("exit code", process.wait(timeout=60))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
