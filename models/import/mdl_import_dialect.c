/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_import_dialect.c - a row per way to write traces. The first that fits is taken; the last one
 * is that of columns with a time and a value, which needs no row of its own for most tools. */
#include "models/import/mdl_import_in.h"

#include <string.h>

/* ---- by the first lines ---- */

static bool begins(const struct mdl_import_head *h, const char *text)
{
    const char *s = h->text;
    while (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\n') {
        s++;
    }
    return strncmp(s, text, strlen(text)) == 0;
}

static bool is_digits(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9') {
            return false;
        }
    }
    return true;
}

static bool is_jmeter_xml(const struct mdl_import_head *h)
{
    return begins(h, "<") && strstr(h->text, "<testResults") != NULL;
}

static bool is_xml(const struct mdl_import_head *h)
{
    return begins(h, "<");
}

static bool is_json(const struct mdl_import_head *h)
{
    return begins(h, "{") || begins(h, "[{") || begins(h, "[\n") || begins(h, "[[");
}

static bool is_broker_table(const struct mdl_import_head *h)
{
    return strstr(h->text, "LOG-END-OFFSET") != NULL || begins(h, "Listing queues") ||
           begins(h, "Timeout: 60.0 seconds");
}

static bool is_gcp(const struct mdl_import_head *h)
{
    return begins(h, "TimeSeries ID") || begins(h, "\"TimeSeries ID\"");
}

static bool is_influx(const struct mdl_import_head *h)
{
    return begins(h, "#group") || begins(h, "#datatype") || begins(h, "#default");
}

static bool is_cloudwatch_text(const struct mdl_import_head *h)
{
    return begins(h, "DATAPOINTS\t") || strstr(h->text, "\nDATAPOINTS\t") != NULL;
}

static bool is_gatling(const struct mdl_import_head *h)
{
    return begins(h, "RUN\t") || begins(h, "REQUEST\t") || begins(h, "ASSERTION\t");
}

static bool is_vegeta(const struct mdl_import_head *h)
{
    return is_digits(h->text, 19) && h->text[19] == ',' && is_digits(h->text + 20, 1);
}

/* "[01/Jul/1995:00:00:01 -0400]" in a line; NULL: not there. */
static const char *bracketed(const char *line, size_t *len)
{
    for (const char *s = strchr(line, '['); s != NULL; s = strchr(s + 1, '[')) {
        if (is_digits(s + 1, 2) && s[3] == '/' && s[4] != '\0' && s[5] != '\0' && s[6] != '\0' &&
            s[7] == '/') {
            const char *end = strchr(s, ']');
            *len = end != NULL ? (size_t)(end - s - 1) : 0;
            return end != NULL ? s + 1 : NULL;
        }
    }
    return NULL;
}

static bool is_access_log(const struct mdl_import_head *h)
{
    size_t len = 0;
    const char *at = bracketed(h->text, &len);
    const char *end = strchr(h->text, '\n');
    return at != NULL && (end == NULL || at < end);
}

/* ---- own ways from a row to samples ---- */

static enum sq_status row_of_log(struct mdl_import *im, const struct sq_csv_row *row)
{
    char text[64];
    size_t len = 0;
    int64_t at = 0;
    const char *time = bracketed(row->cells[0], &len);
    if (time == NULL || len >= sizeof text) {
        im->found.untimed++;
        return SQ_OK;
    }
    memcpy(text, time, len);
    text[len] = '\0';
    const char *wrong = mdl_import_clock_read(im, text, &at);
    if (wrong != NULL) {
        (void)sq_diag_error(im->diag, mdl_import_place(im, row->line), NULL, NULL, "`%s` %s", text,
                            wrong);
        return im->diag->errors >= SQ_DIAG_SHOWN ? SQ_USER : SQ_OK;
    }
    return mdl_import_take(im, at, 1, row->line);
}

/* Versions differ in where the two times of a request stand: the first one is the start. */
static enum sq_status row_of_gatling(struct mdl_import *im, const struct sq_csv_row *row)
{
    if (strcmp(row->cells[0], "REQUEST") != 0) {
        im->found.filtered++;
        return SQ_OK;
    }
    for (uint32_t i = 1; i < row->count; i++) {
        int64_t at = 0;
        if (strlen(row->cells[i]) == 13 && is_digits(row->cells[i], 13) &&
            mdl_import_clock_read(im, row->cells[i], &at) == NULL) {
            return mdl_import_take(im, at, 1, row->line);
        }
    }
    im->found.untimed++;
    return SQ_OK;
}

/* One row per function and day: minute k in the column named k. */
static enum sq_status row_of_minutes(struct mdl_import *im, const struct sq_csv_row *row)
{
    for (uint32_t i = 4; i < row->count && i < im->columns; i++) {
        struct mdl_import_number n;
        const char *wrong = mdl_import_number(row->cells[i], '.', &n);
        if (wrong != NULL) {
            return sq_diag_error(im->diag, mdl_import_place(im, row->line), im->names[i], NULL,
                                 "`%s` %s", row->cells[i], wrong);
        }
        enum sq_status status =
            mdl_import_bin(im, (int64_t)(i - 4) * im->bins.width, n.value, row->line);
        if (status != SQ_OK) {
            return status;
        }
        im->found.sum += n.value;
        im->found.max = n.value > im->found.max ? n.value : im->found.max;
    }
    im->found.used++;
    return SQ_OK;
}

/* ---- the table ---- */

const struct mdl_import_dialect mdl_import_dialects[] = {
    { .name = "jmeter-xml",
      .doc = "A JMeter result file in XML.",
      .is = is_jmeter_xml,
      .refused = "is a JMeter result file in XML: write CSV instead "
                 "(jmeter.save.saveservice.output_format=csv)" },
    { .name = "xml", .doc = "Any XML.", .is = is_xml, .refused = "is XML, not a table of times" },
    { .name = "json",
      .doc = "Any JSON.",
      .is = is_json,
      .refused = "is JSON, not a table of times: have the tool write CSV" },
    { .name = "broker-table",
      .doc = "The answer of kafka-consumer-groups or rabbitmqctl.",
      .is = is_broker_table,
      .refused = "is a table of a broker's queues at one instant: it has no times" },
    { .name = "access-log",
      .doc = "A web server's log in the common or combined format.",
      .is = is_access_log,
      .lines = true,
      .time_form = "dmy",
      .reads = MDL_IMPORT_TIMES,
      .row = row_of_log },
    { .name = "gcp-metrics",
      .doc = "Metrics Explorer of Google Cloud: several header rows, dates of JavaScript.",
      .is = is_gcp,
      .time = "#1" },
    { .name = "influx-annotated",
      .doc = "InfluxDB's annotated CSV.",
      .is = is_influx,
      .delimiter = ',',
      .time = "_time",
      .value = "_value" },
    { .name = "cloudwatch-text",
      .doc = "`aws cloudwatch get-metric-statistics --output text`.",
      .is = is_cloudwatch_text,
      .delimiter = '\t',
      .time = "#3",
      .value = "#2",
      .where = "#1=DATAPOINTS",
      .note = "the file does not say which statistic it is: counts are right for Sum" },
    { .name = "gatling",
      .doc = "Gatling's simulation.log.",
      .is = is_gatling,
      .delimiter = '\t',
      .time_form = "ms",
      .reads = MDL_IMPORT_TIMES,
      .row = row_of_gatling },
    { .name = "vegeta",
      .doc = "`vegeta encode --to csv`.",
      .is = is_vegeta,
      .delimiter = ',',
      .time = "#1",
      .time_form = "ns",
      .reads = MDL_IMPORT_TIMES },
    { .name = "k6",
      .doc = "k6's CSV output: one row per sample of every metric.",
      .needs = { "metric_name", "timestamp", "metric_value" },
      .time = "timestamp",
      .reads = MDL_IMPORT_TIMES,
      .where = "metric_name=http_reqs" },
    { .name = "hey",
      .doc = "`hey -o csv`: when each request left, from the start.",
      .needs = { "response-time", "DNS+dialup", "offset" },
      .time = "offset",
      .time_form = "s",
      .reads = MDL_IMPORT_TIMES },
    { .name = "locust",
      .doc = "Locust's stats history: requests per second.",
      .needs = { "Timestamp", "User Count", "Name", "Requests/s" },
      .time = "Timestamp",
      .value = "Requests/s",
      .reads = MDL_IMPORT_RATE,
      .where = "Name=Aggregated" },
    { .name = "jmeter",
      .doc = "JMeter's result file (JTL) in CSV.",
      .needs = { "timeStamp", "elapsed" },
      .time = "timeStamp",
      .reads = MDL_IMPORT_TIMES },
    { .name = "azure-functions-2019",
      .doc = "Invocations per function and minute of a day.",
      .needs = { "HashOwner", "HashApp", "HashFunction", "Trigger" },
      .time_form = "min",
      .reads = MDL_IMPORT_COUNTS,
      .row = row_of_minutes },
    { .name = "azure-functions-2021",
      .doc = "One row per invocation, with its end and its duration.",
      .needs = { "app", "func", "end_timestamp", "duration" },
      .time = "end_timestamp",
      .minus = "duration",
      .time_form = "s",
      .reads = MDL_IMPORT_TIMES },
    { .name = "azure-llm",
      .doc = "Requests to language models, 2023 and 2024.",
      .needs = { "TIMESTAMP", "ContextTokens", "GeneratedTokens" },
      .time = "TIMESTAMP",
      .reads = MDL_IMPORT_TIMES },
    { .name = "burstgpt",
      .doc = "Requests to language models, in seconds from the first day.",
      .needs = { "Timestamp", "Request tokens", "Response tokens" },
      .time = "Timestamp",
      .time_form = "s",
      .reads = MDL_IMPORT_TIMES },
    { .name = "alibaba-genai",
      .doc = "Requests to image models.",
      .needs = { "gmt_create", "predict_type" },
      .time = "gmt_create",
      .reads = MDL_IMPORT_TIMES },
    { .name = "alibaba-microservices",
      .doc = "Call rates of microservices, normalised.",
      .needs = { "timestamp", "msname", "msinstanceid", "metric" },
      .time = "timestamp",
      .value = "value",
      .time_form = "ms",
      .reads = MDL_IMPORT_RATE,
      .note = "rates are normalised to 0..1: set `scale` to the largest per second" },
    { .name = "cloudwatch-logs",
      .doc = "CloudWatch Logs Insights: one row per message.",
      .needs = { "@timestamp", "@message" },
      .time = "@timestamp",
      .reads = MDL_IMPORT_TIMES },
    { .name = "azure-logs",
      .doc = "Log Analytics of Azure, in its American dates.",
      .needs = { "timestamp [UTC]" },
      .time = "timestamp [UTC]",
      .time_form = "mdy" },
    { .name = "grafana-rows",
      .doc = "Grafana up to 6, a series per row.",
      .needs = { "Series", "Time", "Value" },
      .time = "Time",
      .value = "Value" },
    { .name = "columns", .doc = "A column of times and one of values." },
};
const size_t mdl_import_dialect_count = SQ_COUNT(mdl_import_dialects);
