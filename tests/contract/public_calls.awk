# From the public headers: a C function for each public function that calls it with arguments made for their types.
# See test_null.c, which includes what this writes.

# The value for a parameter of this type, at this place.
function argument(type, place)
{
    gsub(/const|struct/, "", type)
    gsub(/ +/, " ", type)
    sub(/^ /, "", type)
    sub(/ $/, "", type)
    if (type ~ /^orthant_[a-z_]+ \*\*$/)
        return "out(c, " place ")"
    if (type ~ /^orthant_[a-z_]+ \*$/) {
        sub(/ \*$/, "", type)
        if (type in made_for_tests)
            return "given(c, " place ", c->world." type ")"
        if (type in opaque)
            return "given(c, " place ", NULL)"
        return "filled(c, " place ", sizeof(" type "))"
    }
    if (type == "char *" && constant)
        return "given(c, " place ", \"x\")"
    if (type ~ /\*/)
        return type == "void *" ? "NULL" : "memory(c, " place ")"
    if (type ~ /_function$/)
        return "NULL"
    if (type == "orthant_picture_shape")
        return "(orthant_picture_shape){0}"
    return "(" type ")1"
}

# Type and name of one declared parameter; sets `type`, and `constant` for a text.
function parse(declared)
{
    constant = declared ~ /const char \*/ && declared !~ /\*\*|\* *const \*/
    type = declared
    sub(/[a-z_A-Z0-9]+$/, "", type)
}

BEGIN {
    RS = "\001"
    split("context matrix labels graph model result study", names, " ")
    for (i in names)
        made_for_tests["orthant_" names[i]] = 1
}

{
    text = text $0
}

END {
    # Comments away, one declaration at a time.
    while ((at = index(text, "/*")) > 0) {
        rest = substr(text, at + 2)
        text = substr(text, 1, at - 1) " " substr(rest, index(rest, "*/") + 2)
    }
    gsub(/[ \t\r\n]+/, " ", text)
    rest = text
    while (match(rest, /typedef struct [a-z_]+ [a-z_]+;/)) {
        split(substr(rest, RSTART, RLENGTH - 1), words, " ")
        opaque[words[4]] = 1
        rest = substr(rest, RSTART + RLENGTH)
    }
    count = split(text, parts, "ORTHANT_API ")
    for (i = 2; i <= count; i++) {
        declaration = substr(parts[i], 1, index(parts[i], ";") - 1)
        open = index(declaration, "(")
        head = substr(declaration, 1, open - 1)
        if (!match(head, /orthant_[a-z0-9_]+$/))
            continue
        name = substr(head, RSTART)
        returned = substr(head, 1, RSTART - 1)
        sub(/ +$/, "", returned)
        parameters = substr(declaration, open + 1)
        sub(/\) *$/, "", parameters)
        if (parameters == "void")
            continue
        list = ""
        pointers = ""
        freed = ""
        places = split(parameters, declared, ", *")
        for (p = 1; p <= places; p++) {
            parse(declared[p])
            value = argument(type, p - 1)
            list = list (p > 1 ? ", " : "") value
            pointers = pointers (value ~ /^(given|out|filled|memory)/ ? "*" : "-")
            if (value ~ /^out/) {
                made = type
                gsub(/const|struct|[ *]/, "", made)
                if (made in opaque && type !~ /const/)
                    freed = freed "    " made "_free(c->out[" (p - 1) "]);\n"
            }
        }
        printf "static void call_%s(call *c)\n{\n    (void)c;\n", name
        if (returned == "orthant_status")
            printf "    c->status = %s(%s);\n", name, list
        else if (returned == "void")
            printf "    %s(%s);\n", name, list
        else
            printf "    (void)%s(%s);\n", name, list
        if (freed)
            printf "%s", freed
        print "}"
        table = table sprintf("    {\"%s\", call_%s, \"%s\", %s, %s},\n", name, name, pointers,
                              returned == "orthant_status" ? "true" : "false", name ~ /_free$/ ? "true" : "false")
    }
    printf "static const public_function functions[] = {\n%s};\n", table
}
