# Help: every subcommand's fits 80 columns, has options and examples; the man page and completion know the same options.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

subcommands=$(orthant --complete | grep -v -e '^-' -e '^help$')
[ "$(wc -w <<<"$subcommands")" -ge 8 ] || say_failed "subcommands: $subcommands"

check_width() {
    local long
    long=$(awk 'length > 80' .out)
    [ -z "$long" ] || say_failed "$1: wider than 80 columns: $long"
}

for options in --help help -h; do
    expect_success "$options" "$options"
    check_width "$options"
    expect_text '^  cluster '
done
expect_success version --version
expect_text '^orthant [0-9]+\.[0-9]+\.[0-9]+$'

sed 's/\\-/-/g' "$ORTHANT_SOURCE/docs/orthant.1" >man.txt
for name in $subcommands; do
    expect_success "$name --help" "$name" --help
    check_width "$name --help"
    expect_text '^Usage:'
    expect_text '^Examples:'
    expect_text '^  -h, --help'
    cp .out help.txt
    orthant --complete "$name" >words.txt
    expect_success "help $name" help "$name"
    cmp -s .out help.txt || say_failed "help $name differs from $name --help"
    for option in $(sed -n 's/^  [- ][a-z ][, ] *\(--[a-z-]*\).*/\1/p' help.txt); do
        grep -q -e "\\(^\\|[^a-z-]\\)$option\\([^a-z-]\\|\$\\)" man.txt || say_failed "$name: the man page lacks $option"
        grep -qx -e "$option" words.txt || say_failed "$name: completion lacks $option"
    done
    grep -q "orthant $name" man.txt || say_failed "the man page lacks orthant $name"
done
for name in $subcommands; do orthant help "$name"; done >all_help.txt
for option in $(grep -o -e '--[a-z][a-z-]*' man.txt | sort -u); do
    [ "$option" = --version ] && continue
    grep -q -e "$option" all_help.txt ||
        say_failed "the man page has $option, the command has not"
done

expect_success completion --complete cluster --method
expect_text '^gnmf$'
expect_success 'completion by letter' --complete cluster -m
expect_text '^gnmf$'
expect_success 'completion of a choice' --complete cluster --scale
expect_text '^tfidf$'

# The completion script itself, as bash runs it.
complete_line() {
    COMP_WORDS=("$ORTHANT_COMMAND" "$@") COMP_CWORD=$# COMPREPLY=()
    _orthant
}
compopt() { :; }
source "$ORTHANT_SOURCE/apps/orthant/orthant.bash-completion"
complete_line clu
[ "${COMPREPLY[*]}" = cluster ] || say_failed "completion of clu: ${COMPREPLY[*]}"
complete_line cluster x.mat --labelled-f
[ "${COMPREPLY[*]}" = --labelled-fraction ] || say_failed "completion of --labelled: ${COMPREPLY[*]}"
complete_line cluster x.mat -m cdnmf-
[ "${COMPREPLY[*]}" = cdnmf-kl ] || say_failed "completion of -m cdnmf-: ${COMPREPLY[*]}"

finish
