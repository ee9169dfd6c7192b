# Names in a results.csv may be of any length: the page cuts them, and reads nothing beyond them.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

# study FOLDER LENGTH: two values of a parameter of a method with so long a name.
study() {
    local name
    mkdir -p "$1"
    name=$(head -c "$2" /dev/zero | tr '\0' m)
    {
        echo dataset,method,classes,repeat,seed,accuracy,nmi,ari,purity,sparseness,objective,iterations,seconds
        for value in 1 2; do
            echo "data,$name p=$value,2,0,1,0.5,0.5,0.5,0.5,0.5,1,10,0.1"
            echo "data,$name p=$value,3,0,1,0.6,0.5,0.5,0.5,0.5,1,10,0.1"
        done
    } >"$1/results.csv"
}

study long 300
expect_success "a method's name of 300 letters" report long
grep -q 'against p, averaged over' long/report.html || say_failed "the parameter behind a long name is lost"
sweep=$(find long/charts -name 'sweep-*.csv' | wc -l)
[ "$sweep" -eq 1 ] || say_failed "$sweep sweeps"
for script in long/charts/*.gp; do
    expect_file "${script%.gp}.csv"
    ! command -v gnuplot >/dev/null || expect_file "${script%.gp}.svg"
done

# Two that differ behind what is shown are two charts.
study two 300
sed -n 2,5p two/results.csv | sed 's/ p=/n p=/' >more.csv
cat more.csv >>two/results.csv
expect_success "two long names" report two
sweep=$(find two/charts -name 'sweep-*.csv' | wc -l)
[ "$sweep" -eq 2 ] || say_failed "$sweep sweeps, expected 2"

# Longer than the stack.
study huge 1500000
sed -i '/,3,0,1/d' huge/results.csv
status=0
(ulimit -s 1024 && orthant report huge >.out 2>.err </dev/null) || status=$?
[ "$status" -le 1 ] || say_failed "a method's name of 1.5 MB: exit $status"

finish
