/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mdl_commands.h - what each command of the program takes: its words, options and help. What it
 * does is in squall.c; a new command is a descriptor here, and there a function and a row. */
#ifndef MDL_COMMANDS_H
#define MDL_COMMANDS_H

#include "sim/base/sq_opt.h"

extern const struct sq_command mdl_command_run;
extern const struct sq_command mdl_command_compare;
extern const struct sq_command mdl_command_limits;
extern const struct sq_command mdl_command_sweep;
extern const struct sq_command mdl_command_merge;
extern const struct sq_command mdl_command_check;
extern const struct sq_command mdl_command_report;
extern const struct sq_command mdl_command_explain;
extern const struct sq_command mdl_command_diff;
extern const struct sq_command mdl_command_plot;
extern const struct sq_command mdl_command_lint;
extern const struct sq_command mdl_command_forecast;
extern const struct sq_command mdl_command_delays;
extern const struct sq_command mdl_command_replay;
extern const struct sq_command mdl_command_import_trace;
extern const struct sq_command mdl_command_presets;
extern const struct sq_command mdl_command_import_config;
extern const struct sq_command mdl_command_completion;
extern const struct sq_command mdl_command_init;
extern const struct sq_command mdl_command_schema;
extern const struct sq_command mdl_command_help;
extern const struct sq_command mdl_command_version;

#endif
