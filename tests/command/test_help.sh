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
expect_success methods methods
check_width methods
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
    examples=$(grep -n '^Examples:' help.txt | cut -d: -f1) options=$(grep -n '^Options:' help.txt | cut -d: -f1)
    [ "$examples" -lt "$options" ] || say_failed "$name --help: the examples are not first"
    orthant --complete "$name" >words.txt
    expect_success "help $name" help "$name"
    cmp -s .out help.txt || say_failed "help $name differs from $name --help"
    expect_success "$name --help-all" "$name" --help-all
    check_width "$name --help-all"
    cp .out help.txt
    for option in $(sed -n 's/^  [- ][a-z ][, ] *\(--[a-z-]*\).*/\1/p' help.txt); do
        grep -q -e "\\(^\\|[^a-z-]\\)$option\\([^a-z-]\\|\$\\)" man.txt || say_failed "$name: the man page lacks $option"
        grep -qx -e "$option" words.txt || say_failed "$name: completion lacks $option"
    done
    grep -q "orthant $name" man.txt || say_failed "the man page lacks orthant $name"
done
for name in $subcommands; do orthant "$name" --help-all; done >all_help.txt
for option in $(grep -o -e '--[a-z][a-z-]*' man.txt | sort -u); do
    [ "$option" = --version ] && continue
    grep -q -e "$option" all_help.txt ||
        say_failed "the man page has $option, the command has not"
done

# What few need stands under --help-all, and a subcommand speaks of itself alone.
expect_success "cluster --help" cluster --help
grep -q -e '--sample-weights' .out && say_failed "cluster --help lists rare options"
expect_text 'more options, for special cases: orthant cluster --help-all'
grep -q -i 'of segment\|compare:' .out && say_failed "cluster --help speaks of other subcommands"

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
complete_line compare x.mat --methods kmeans,cdnmf-
[ "${COMPREPLY[*]}" = "kmeans,cdnmf-kl kmeans,cdnmf-kl+" ] || say_failed "completion of a list: ${COMPREPLY[*]}"
complete_line cluster x.mat -m cdnmf-
[ "${COMPREPLY[*]}" = "cdnmf-kl cdnmf-kl+" ] || say_failed "completion of -m cdnmf-: ${COMPREPLY[*]}"
complete_line segment x.png -m f
[ "${COMPREPLY[*]}" = fseg ] || say_failed "methods of segment: ${COMPREPLY[*]}"
complete_line cluster x.mat --solver ha
[ "${COMPREPLY[*]}" = hals ] || say_failed "solvers: ${COMPREPLY[*]}"
complete_line cluster x.mat -m gnmf -p graph_w
[ "${COMPREPLY[*]}" = graph_weight= ] || say_failed "parameters: ${COMPREPLY[*]}"
complete_line cluster x.mat -p batch_order = r
[ "${COMPREPLY[*]}" = random ] || say_failed "values of a parameter: ${COMPREPLY[*]}"
complete_line cluster x.mat -p batch_order =
[ "${COMPREPLY[*]}" = "given random" ] || say_failed "values of a parameter: ${COMPREPLY[*]}"
orthant --complete cluster -p | sort | uniq -d >twice.txt
[ ! -s twice.txt ] || say_failed "parameters that completion gives twice: $(cat twice.txt)"
complete_line reproduce nlcf --tables VI
[ "${COMPREPLY[*]}" = "VI VII VIII" ] || say_failed "tables of a paper: ${COMPREPLY[*]}"
complete_line reproduce tn
[ "${COMPREPLY[*]}" = tnmf ] || say_failed "papers: ${COMPREPLY[*]}"

finish
