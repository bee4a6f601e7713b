def shade(field):
    return field * field
