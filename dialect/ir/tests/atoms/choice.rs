//! Choices of a schedule as text.

use layout_dialect::Choice;

#[test]
fn text_round_trips() {
    for text in
        ["auto", "auto, chip = \"sm_90a\"", "tile = (128,128,32), warps = (2,2), stages = 3"]
    {
        assert_eq!(text.parse::<Choice>().expect("a choice").to_string(), text);
    }
    let explicit: Choice = "auto, chip = \"sm_80\"".parse().expect("a choice");
    assert_eq!(explicit.to_string(), "auto");
}

#[test]
fn errors_name_the_place() {
    let error = |text: &str| text.parse::<Choice>().expect_err("no choice").to_string();
    assert_eq!(
        error("auto, tile = (1,1,1)"),
        "expected 'chip' or 'two_level_accumulation', which are all that 'auto' takes, found 'tile' (at byte 6)"
    );
    assert_eq!(
        error("auto, chip = \"gfx90a\""),
        "expected the name of a chip, such as \"sm_80\", found '\"' (at byte 13)"
    );
    assert_eq!(
        error("auto chip"),
        "expected ',' or the end of the schedule, found 'chip' (at byte 5)"
    );
}
