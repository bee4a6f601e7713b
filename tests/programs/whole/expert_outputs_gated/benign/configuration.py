CONFIGURATION = {
    "letters": 5,
    "width": 6,
    "languages": 3,
    "experts": 2,
    "expert": "plain",
}
