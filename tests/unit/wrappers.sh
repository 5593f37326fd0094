#!/bin/sh
# What ci/run-suite and ci/run-check must turn red: they stand between every test and CTest.
# usage: wrappers.sh RUN_SUITE RUN_CHECK
set -u
suite=$1 check=$2
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT
failed=0

# expect CODE WHAT COMMAND...
expect() {
    code=$1 what=$2
    shift 2
    "$@" >"$folder/log" 2>&1
    got=$?
    [ "$got" -eq "$code" ] || { echo "FAIL $what: exit $got, expected $code"; failed=1; }
}

# A suite that reports the lines of $1 and exits with $2.
suite_with() {
    printf '%b' "$1" >"$folder/tap"
    cat >"$folder/binary" <<EOF
#!/bin/sh
for word in "\$@"; do case \$word in --tap=*) cp "$folder/tap" "\${word#--tap=}" ;; esac; done
exit $2
EOF
    chmod +x "$folder/binary"
}

suite_with 'ok - a\nok - b\n' 0
expect 0 'two of two passed' "$suite" "$folder/binary" 2
expect 3 'fewer than expected' "$suite" "$folder/binary" 3
expect 3 'more than expected' "$suite" "$folder/binary" 1
expect 2 'no count given' "$suite" "$folder/binary"
suite_with '' 0
expect 3 'nothing ran' "$suite" "$folder/binary" 2
suite_with 'ok - a\nok - b\nnot ok - c\n' 0
expect 1 'a failure that the exit code hides' "$suite" "$folder/binary" 2
suite_with 'ok - a\nok - b\n' 1
expect 1 'an exit code that the report hides' "$suite" "$folder/binary" 2
suite_with 'ok - a\nok - b\n' 139
expect 1 'a crash after the report' "$suite" "$folder/binary" 2
suite_with 'ok - a\nok - b # SKIP no device\n' 0
expect 1 'a skipped test' "$suite" "$folder/binary" 2

# A program whose report has $1 cases, $2 of them passed, and that exits with $3.
program_with() {
    cat >"$folder/binary" <<EOF
#!/bin/sh
echo '{"rows":[{"passed":"7"}],"totals":{"passed":$2,"failed":0,"cases":$1}}' >"\$3"
exit $3
EOF
    chmod +x "$folder/binary"
}

program_with 5 5 0
expect 0 'five of five passed' "$check" "$folder/binary" 5 "$folder/report"
expect 3 'cases were lost' "$check" "$folder/binary" 6 "$folder/report"
expect 3 'cases were added' "$check" "$folder/binary" 4 "$folder/report"
program_with 5 4 0
expect 1 'a case did not pass' "$check" "$folder/binary" 5 "$folder/report"
program_with 5 5 1
expect 1 'the program says it failed' "$check" "$folder/binary" 5 "$folder/report"
program_with 5 5 77
expect 77 'everything was skipped' "$check" "$folder/binary" 5 "$folder/report"
printf '#!/bin/sh\nexit 0\n' >"$folder/binary"
rm -f "$folder/report"
expect 3 'no report was written' "$check" "$folder/binary" 5 "$folder/report"

exit $failed
