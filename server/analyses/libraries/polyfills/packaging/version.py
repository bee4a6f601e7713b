"""Versions, compared by the numbers of their releases; what is before or after a release isn't told apart."""


def number(text):
    digits = ""
    for character in text:
        if not character.isdigit():
            break
        digits += character
    return int(digits) if digits else 0


class Version:
    def __init__(self, version):
        self.text = str(version)
        self.release = tuple([number(part) for part in self.text.split("+")[0].split(".")])
        self.major = self.release[0]
        self.minor = self.release[1] if len(self.release) > 1 else 0
        self.micro = self.release[2] if len(self.release) > 2 else 0
        self.base_version = ".".join([str(part) for part in self.release])
        self.public = self.text.split("+")[0]

    def key(self):
        return (*self.release, 0, 0, 0)[:4]

    def __str__(self):
        return self.text

    def __lt__(self, other):
        return self.key() < other.key()

    def __le__(self, other):
        return self.key() <= other.key()

    def __gt__(self, other):
        return self.key() > other.key()

    def __ge__(self, other):
        return self.key() >= other.key()

    def __eq__(self, other):
        return self.key() == other.key()


def parse(version):
    return Version(version)
