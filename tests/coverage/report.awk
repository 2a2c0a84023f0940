# SPDX-License-Identifier: MIT
# awk -v root=<include/dashpot> -v reasons=<README.md> -f report.awk <lcov file> ...
# Prints what was run of each header, and each line that never was. Fails when one has no reason in the table of
# README.md, or when a reason there is for a line that is no more. Of what is listed there some runs may reach a line by
# luck, so that is no fault.

function trimmed(text) {
    gsub(/^[ \t]+|[ \t]+$/, "", text)
    return text
}

BEGIN {
    while ((getline row < reasons) > 0) {
        if (split(row, cell, "|") < 5) continue # a header, a line, a reason, and the borders
        header = trimmed(cell[2])
        text = trimmed(cell[3])
        if (header !~ /^`.*\.hpp`$/ || text !~ /^`.*`$/) continue
        gsub(/`/, "", header)
        gsub(/`/, "", text)
        reason[header, text] = trimmed(cell[4])
    }
}

/^SF:/ {
    file = substr($0, 4)
    at = index(file, "/include/dashpot/")
    header = at ? substr(file, at + length("/include/dashpot/")) : ""
}

/^DA:/ && header != "" {
    split(substr($0, 4), number, ",")
    line = number[1] + 0
    if (!((header, line) in runs)) {
        ++lines[header]
        runs[header, line] = 0
        if (line > last[header]) last[header] = line
    }
    runs[header, line] += number[2]
}

END {
    for (header in lines) headers[++how_many] = header
    for (i = 2; i <= how_many; ++i) { # in order of their names
        moved = headers[i]
        for (j = i - 1; j > 0 && headers[j] > moved; --j) headers[j + 1] = headers[j]
        headers[j + 1] = moved
    }
    printf "%-40s %6s %6s %8s\n", "header", "lines", "run", "per cent"
    for (i = 1; i <= how_many; ++i) {
        header = headers[i]
        missed = 0
        line = 0
        while ((getline text < (root "/" header)) > 0) {
            ++line
            text = trimmed(text)
            if ((header, text) in reason) is_there[header, text] = 1
            if (!((header, line) in runs)) continue
            if (text ~ /^(#.*|\/\/.*|[{}; ]*)$/) { # says nothing that could be run
                --lines[header]
                continue
            }
            if (runs[header, line] > 0) continue
            ++missed
            if ((header, text) in reason) {
                unreached[++count] = sprintf("%s:%d: %s\n    %s", header, line, text, reason[header, text])
            } else {
                unexplained = unexplained sprintf("\n  %s:%d: %s", header, line, text)
            }
        }
        printf "%-40s %6d %6d %8.1f\n", header, lines[header], lines[header] - missed, 100 * (lines[header] - missed) / lines[header]
        all += lines[header]
        all_missed += missed
    }
    if (all == 0) {
        print "no header was run"
        exit 1
    }
    printf "%-40s %6d %6d %8.1f\n\nnever run:\n", "all", all, all - all_missed, 100 * (all - all_missed) / all
    for (i = 1; i <= count; ++i) print unreached[i]
    for (key in reason)
        if (!(key in is_there)) {
            split(key, part, SUBSEP)
            stale = stale sprintf("\n  %s: %s", part[1], part[2])
        }
    if (unexplained != "") print "\nnever run, and tests/coverage/README.md has no reason:" unexplained
    if (stale != "") print "\na reason in tests/coverage/README.md for a line that is no more:" stale
    exit unexplained != "" || stale != ""
}
