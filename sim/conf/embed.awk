# SPDX-License-Identifier: GPL-3.0-or-later
# Writes the C file that holds text files as strings: LC_ALL=C awk -f embed.awk FILE...
# Every line becomes a literal of its own. A question mark is escaped for the sake of trigraphs.
BEGIN {
    print "/* Made by sim/conf/embed.awk. */"
    print "#include \"sim/conf/sq_preset.h\""
    print ""
    print "const struct sq_preset_text sq_preset_texts[] = {"
}
FNR == 1 {
    if (files++) print "      \"\" },"
    name = FILENAME
    sub(/.*\//, "", name)
    print "    { \"presets/" name "\","
}
{
    gsub(/[\\"?]/, "\\\\&")
    print "      \"" $0 "\\n\""
}
END {
    print files ? "      \"\" }," : "    { \"\", \"\" },"
    print "};"
    print "const size_t sq_preset_text_count = " files + 0 ";"
}
