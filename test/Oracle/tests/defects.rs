//! The patches that reintroduce defects apply to today's code.

use std::{fs, path::Path, process::Command};

#[test]
fn each_patch_applies() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("defects");
    let mut patches = 0;
    for entry in fs::read_dir(&folder).expect("patches") {
        let path = entry.expect("a patch").path();
        let mut git = Command::new("git");
        git.args(["apply", "--check", "-C1"]).arg(&path).current_dir(folder.join("../../.."));
        let output = git.output().expect("git is installed");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "expected a patch of this code, found {}: {stderr}",
            path.display()
        );
        patches += 1;
    }
    assert!(patches >= 13, "expected thirteen patches, found {patches}");
}
