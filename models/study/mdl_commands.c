/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_commands.c - the rows of the command line: per command its options and its descriptor. */
#include "models/study/mdl_commands.h"

#include "models/study/mdl_args.h"

#include <limits.h>

static const struct sq_opt run_opts[] = {
    MDL_OPT_VARIANT,
    MDL_OPT_SET,
    MDL_OPT_SEED,
    MDL_OPT_RUNS_AUTO,
    MDL_OPT_REPLICATION,
    MDL_OPT_THREADS,
    MDL_OPT_MEMORY,
    { .name = "job",
      .arg = "NAME:N",
      .doc = "Tells the life of the N-th job of this producer or client, in the first run." },
    { .name = "fluid",
      .doc = "One run by the fluid model: in milliseconds at any rate, without luck, and no more "
             "than it knows." },
    { .name = "out", .arg = "DIR", .doc = "Writes timeline, metrics, scenario and charts there." },
    { .name = "openmetrics",
      .arg = "FILE",
      .doc = "Writes the timeline there for Prometheus, as OpenMetrics." },
    { .name = "start",
      .arg = "TIME",
      .doc = "When time 0 is in it (UTC); without it 2024-01-01 00:00." },
};
const struct sq_command mdl_command_run = {
    .name = "squall run",
    .words = "SCENARIO",
    .words_min = 1,
    .words_max = 1,
    .doc = "Runs a scenario and says what happened.",
    .opts = run_opts,
    .opt_count = SQ_COUNT(run_opts),
};

static const struct sq_opt compare_opts[] = {
    { .name = "variants",
      .arg = "A,B,...",
      .doc = "Compares these, the others with the first; without it all of the file, or the base "
             "of each of several files." },
    { .name = "metrics",
      .arg = "A,B,...",
      .doc = "The rows of the table, instead of the usual ones." },
    MDL_OPT_SET,
    MDL_OPT_SEED,
    MDL_OPT_RUNS_AUTO,
    MDL_OPT_THREADS,
    MDL_OPT_MEMORY,
    { .name = "out", .arg = "DIR", .doc = "Writes the comparison there, and every variant's run." },
};
const struct sq_command mdl_command_compare = {
    .name = "squall compare",
    .words = "SCENARIO...",
    .words_min = 1,
    .words_max = UINT_MAX,
    .doc = "Runs variants of one scenario or of several on the same luck, side by side.",
    .opts = compare_opts,
    .opt_count = SQ_COUNT(compare_opts),
};

static const struct sq_opt limits_opts[] = {
    { .name = "find",
      .arg = "KEY=LO..HI",
      .doc = "The key and the range that is searched: a count, duration, rate, ratio or size." },
    { .name = "until", .arg = "EXPECTATION", .doc = "What must hold, as under `expect`." },
    { .name = "in",
      .arg = "SHARE",
      .doc = "It must hold in this share of the runs; without it in all." },
    { .name = "to",
      .arg = "SHARE",
      .doc = "How narrow the answer is, as a share of the limit; without it 1%." },
    { .name = "both-ways",
      .doc = "Changes the key in mid-run: where a healthy system falls, and where a fallen one "
             "comes back." },
    { .name = "at",
      .arg = "DURATION",
      .doc = "With --both-ways, when the key changes; without it half-way from T1 to the end." },
    MDL_OPT_VARIANT,
    MDL_OPT_SET,
    MDL_OPT_SEED,
    MDL_OPT_RUNS,
    MDL_OPT_THREADS,
    MDL_OPT_MEMORY,
    { .name = "out", .arg = "DIR", .doc = "Writes limits.csv there: every value that was tried." },
};
const struct sq_command mdl_command_limits = {
    .name = "squall limits",
    .words = "SCENARIO",
    .words_min = 1,
    .words_max = 1,
    .doc = "Finds how far one key may go until an expectation fails (status 1: no limit there).",
    .opts = limits_opts,
    .opt_count = SQ_COUNT(limits_opts),
};

static const struct sq_opt sweep_opts[] = {
    { .name = "vary",
      .arg = "KEY=V1,V2,...",
      .doc = "A key and its values; given again, every combination. The key `variant` goes through "
             "variants.",
      .repeatable = true },
    MDL_OPT_VARIANT,
    MDL_OPT_SET,
    MDL_OPT_SEED,
    MDL_OPT_RUNS,
    { .name = "metrics", .arg = "A,B,...", .doc = "Keeps these metrics; without it all." },
    { .name = "shard",
      .arg = "K/N|auto",
      .doc =
          "Runs part K of N, in a folder of its own; auto: as the scheduler of an array job says, "
          "auto/N where it does not say of how many." },
    MDL_OPT_THREADS,
    MDL_OPT_MEMORY,
    { .name = "out",
      .arg = "DIR",
      .doc = "Keeps finished cells there, and at the end sweep.csv; the same command goes on." },
};
const struct sq_command mdl_command_sweep = {
    .name = "squall sweep",
    .words = "SCENARIO",
    .words_min = 1,
    .words_max = 1,
    .doc = "Runs a scenario at every combination of values; goes on where it was stopped.",
    .opts = sweep_opts,
    .opt_count = SQ_COUNT(sweep_opts),
};

static const struct sq_opt merge_opts[] = {
    { .name = "out", .arg = "DIR", .doc = "Writes the whole sweep there." },
};
const struct sq_command mdl_command_merge = {
    .name = "squall merge",
    .words = "DIR...",
    .words_min = 1,
    .words_max = UINT_MAX,
    .doc = "Puts the shards of a sweep together, if they are all of one and none is missing.",
    .opts = merge_opts,
    .opt_count = SQ_COUNT(merge_opts),
};

static const struct sq_opt check_opts[] = {
    MDL_OPT_RUNS,
    MDL_OPT_THREADS,
    MDL_OPT_MEMORY,
    { .name = "filter",
      .arg = "TEXT",
      .doc = "Only expectations whose line in the list contains this text." },
    { .name = "list", .doc = "Lists the expectations and runs nothing." },
    { .name = "fail-fast", .doc = "Stops after the first file with a failure." },
    { .name = "baseline",
      .arg = "DIR",
      .doc = "Compares the metrics of every variant with what they were." },
    { .name = "update-baseline",
      .doc = "Writes the baselines that --baseline compares with; nothing else does." },
    { .name = "tolerance",
      .arg = "METRIC=SHARE[,AMOUNT]|off",
      .doc = "How far a metric may move from its baseline, 5% without it; * in METRIC stands for "
             "any text.",
      .repeatable = true },
    { .name = "junit", .arg = "FILE", .doc = "Writes the verdicts there as JUnit XML." },
    { .name = "markdown", .arg = "FILE", .doc = "Writes them there for a job summary." },
    { .name = "json", .arg = "FILE", .doc = "Writes them there as JSON." },
    { .name = "tap", .doc = "Prints TAP 14 instead of the report." },
    { .name = "github", .doc = "Prints annotations for GitHub Actions before the report." },
};
const struct sq_command mdl_command_check = {
    .name = "squall check",
    .words = "PATH...",
    .words_min = 1,
    .words_max = UINT_MAX,
    .doc = "Runs scenario files and folders of them, and judges what they expect.",
    .opts = check_opts,
    .opt_count = SQ_COUNT(check_opts),
};

const struct sq_command mdl_command_diff = {
    .name = "squall diff",
    .words = "WAS IS",
    .words_min = 2,
    .words_max = 2,
    .doc =
        "Compares two results that run left in folders: the keys that changed, and what that did.",
};

static const struct sq_opt report_opts[] = {
    { .name = "out",
      .letter = 'o',
      .arg = "FILE",
      .doc = "Writes the page there instead of to standard output." },
};
const struct sq_command mdl_command_report = {
    .name = "squall report",
    .words = "DIR...",
    .words_min = 1,
    .words_max = UINT_MAX,
    .doc = "Makes one HTML file of the results that run and compare left in folders.",
    .opts = report_opts,
    .opt_count = SQ_COUNT(report_opts),
};

static const struct sq_opt plot_opts[] = {
    { .name = "out",
      .letter = 'o',
      .arg = "FILE",
      .doc = "Writes F.svg, F.png or F.pdf; without it SVG to standard output." },
    { .name = "kind",
      .arg = "KIND",
      .values = "timeline variants drain ends delays attempts herd load layers heat limits",
      .doc =
          "Of a run or a comparison: timeline, variants (side by side), drain (the backlog "
          "after recovery), ends (of jobs), delays (of jobs), attempts (by job), herd (calls "
          "after recovery in fine bins), load (goodput against offered load), layers (of retries, "
          "and what they multiply to); of a sweep heat; of a search for a limit limits. Without "
          "it what fits the folder." },
    { .name = "metric", .arg = "NAME", .doc = "What a heat map shows; without it P(collapse)." },
    { .name = "variant", .arg = "NAME", .doc = "Of a comparison, this variant alone." },
    { .name = "theme", .arg = "THEME", .doc = "light, or dark.", .values = "light dark" },
};
const struct sq_command mdl_command_plot = {
    .name = "squall plot",
    .words = "DIR...",
    .words_min = 1,
    .words_max = UINT_MAX,
    .doc = "Draws one chart of what run, compare, sweep or limits left in folders.",
    .opts = plot_opts,
    .opt_count = SQ_COUNT(plot_opts),
};

static const struct sq_opt explain_opts[] = { MDL_OPT_VARIANT, MDL_OPT_SET };
const struct sq_command mdl_command_explain = {
    .name = "squall explain",
    .words = "SCENARIO",
    .words_min = 1,
    .words_max = 1,
    .doc = "Prints a scenario with every shorthand, preset and default written out.",
    .opts = explain_opts,
    .opt_count = SQ_COUNT(explain_opts),
};

static const struct sq_opt lint_opts[] = {
    { .name = "strict", .doc = "Warnings fail too, not only errors." },
    { .name = "format",
      .arg = "FORMAT",
      .doc = "text, json, or github: annotations.",
      .values = "text json github" },
    { .name = "rules", .doc = "Explains all rules and looks at nothing." },
};
const struct sq_command mdl_command_lint = {
    .name = "squall lint",
    .words = "PATH...",
    .words_max = UINT_MAX,
    .doc = "Looks for retry anti-patterns in scenario files and folders of them, each with the "
           "number that makes it one, before anything is simulated.",
    .opts = lint_opts,
    .opt_count = SQ_COUNT(lint_opts),
};

static const struct sq_opt forecast_opts[] = {
    { .name = "backlog", .arg = "N", .doc = "Jobs that wait now." },
    { .name = "cap",
      .arg = "RATE|N",
      .doc = "Capacity: jobs per second (125/s), or calls at a time (40) with --service." },
    { .name = "service", .arg = "TIME", .doc = "How long a call takes." },
    { .name = "arrivals", .arg = "RATE", .doc = "New jobs per second; 0/s without it." },
    { .name = "ramp",
      .arg = "A,B,...",
      .doc = "Steps that the capacity starts with, in the unit of --cap; the last one stays." },
    { .name = "every", .arg = "TIME", .doc = "Length of a step; 1m without it." },
    { .name = "stale", .arg = "N", .doc = "Jobs of the backlog past their deadline." },
    { .name = "timers",
      .arg = "N@TIME[..TIME]",
      .doc = "So many retries become due then, or spread over that range.",
      .repeatable = true },
    { .name = "from", .arg = "FILE", .doc = "Measures backlog and rates in a timeline.csv." },
    { .name = "at", .arg = "TIME", .doc = "The instant in the timeline; its end without it." },
    { .name = "window", .arg = "TIME", .doc = "Rates are means over this long before; 5m." },
};
const struct sq_command mdl_command_forecast = {
    .name = "squall forecast",
    .doc = "Says when a backlog is gone, from a few figures or a timeline, without a scenario.",
    .opts = forecast_opts,
    .opt_count = SQ_COUNT(forecast_opts),
};

static const struct sq_opt delays_opts[] = {
    { .name = "retries",
      .arg = "N",
      .doc = "Shows so many; without it as many as the policy allows, at most ten." },
    { .name = "samples", .arg = "N", .doc = "Draws per retry, 100k unless given." },
    { .name = "seed", .arg = "N", .doc = "Root of the luck, 1 unless given." },
    { .name = "format", .arg = "FORMAT", .doc = "table, or csv.", .values = "table csv" },
};
const struct sq_command mdl_command_delays = {
    .name = "squall delays",
    .words = "POLICY",
    .words_min = 1,
    .words_max = 1,
    .doc = "Shows the delays that a retry policy draws: a preset, or a block in YAML.",
    .opts = delays_opts,
    .opt_count = SQ_COUNT(delays_opts),
};

static const struct sq_opt replay_opts[] = {
    { .name = "summary", .doc = "What it came to, instead of one line per event." },
};
const struct sq_command mdl_command_replay = {
    .name = "squall replay",
    .words = "CONTROL CALLS.csv",
    .words_min = 2,
    .words_max = 2,
    .doc = "Says what a breaker, budget, rate limit or ramp would have done with calls of a log: "
           "a preset, or a block in YAML, and a CSV file with the columns time_s, event, id, "
           "duration_s, kind.",
    .opts = replay_opts,
    .opt_count = SQ_COUNT(replay_opts),
};

static const struct sq_opt import_trace_opts[] = {
    { .name = "out",
      .letter = 'o',
      .arg = "FILE",
      .doc = "Writes the normalised trace there; without it to standard output." },
    { .name = "format",
      .arg = "NAME",
      .doc = "The tool or data set that it is from; an unknown one lists them." },
    { .name = "delimiter", .arg = "C", .doc = "What parts the columns: a character, or tab." },
    { .name = "time", .arg = "COLUMN", .doc = "Column of the times: its name, or #N." },
    { .name = "time-format",
      .arg = "FORM",
      .values = "s ms us ns min h ymd ydm dmy mdy",
      .doc = "Numbers in s, ms, us, ns, min or h; dates as ymd, ydm, dmy or mdy." },
    { .name = "zone",
      .arg = "ZONE",
      .doc = "Zone of times that say none (+02:00); any: each row has its own." },
    { .name = "value", .arg = "COLUMN", .doc = "Column of the values: its name, or #N." },
    { .name = "reads",
      .arg = "KIND",
      .values = "counts rate total times",
      .doc =
          "What a value is: counts per row, rate per second, total of a counter; times: each row "
          "is an arrival." },
    { .name = "decimal", .arg = "SIGN", .doc = "point, or comma.", .values = "point comma" },
    { .name = "where",
      .arg = "COLUMN=TEXT",
      .doc = "Only rows whose column holds this text.",
      .repeatable = true },
    { .name = "sum", .doc = "Adds up the values of one time." },
    { .name = "gaps",
      .arg = "POLICY",
      .values = "zero hold interpolate error",
      .doc = "Missing rows: zero, hold, interpolate, or error; without it zero for counts and hold "
             "for rates." },
    { .name = "bin",
      .arg = "TIME",
      .doc = "Counts arrivals per so long; without it they are told apart if their times are finer "
             "than a second." },
};
const struct sq_command mdl_command_import_trace = {
    .name = "squall import trace",
    .words = "FILE",
    .words_min = 1,
    .words_max = 1,
    .doc = "Turns a log, an export of a dashboard or a published data set into arrivals, and says "
           "how it read them.",
    .opts = import_trace_opts,
    .opt_count = SQ_COUNT(import_trace_opts),
};

const struct sq_command mdl_command_presets = {
    .name = "squall presets",
    .words = "[NAME]",
    .words_max = 1,
    .doc = "Lists the shipped presets, or explains those of one name.",
};

const struct sq_command mdl_command_import_config = {
    .name = "squall import config",
    .words = "FILE...",
    .words_min = 1,
    .words_max = UINT_MAX,
    .doc = "Makes a scenario out of configuration in YAML or JSON (Kubernetes, KEDA, Istio, Envoy, "
           "gRPC, SQS, Resilience4j, BullMQ, Temporal, Celery): each line tells where it comes "
           "from, and what cannot be translated is listed.",
};

const struct sq_command mdl_command_init = {
    .name = "squall init",
    .words = "[FILE]",
    .words_max = 1,
    .doc = "Writes a first scenario, to begin with: scenario.yaml, or FILE.",
};

const struct sq_command mdl_command_schema = {
    .name = "squall schema",
    .doc = "Prints the scenario language as JSON Schema, for editors.",
};

static const struct sq_opt help_opts[] = {
    { .name = "man", .doc = "As the source of a manual page: of all commands, or of scenarios." },
};
const struct sq_command mdl_command_help = {
    .name = "squall help",
    .words = "[COMMAND|scenario]",
    .words_max = 2,
    .doc = "Explains squall, one command, or the keys of a scenario file.",
    .opts = help_opts,
    .opt_count = SQ_COUNT(help_opts),
};

const struct sq_command mdl_command_completion = {
    .name = "squall completion",
    .words = "SHELL",
    .words_min = 1,
    .words_max = 1,
    .doc = "Prints what lets bash, zsh or fish complete commands, options and their values.",
};

const struct sq_command mdl_command_version = {
    .name = "squall version",
    .doc = "Prints the version.",
};
