/* The commands of the assay program. Each gets its own arguments (argv[0] is the command's name)
 * and returns the exit code: 0 pass, 1 failures, 2 usage, 3 harness error or incomplete, 77 all
 * skipped.
 */
#ifndef ASSAY_TOOLS_COMMANDS_H
#define ASSAY_TOOLS_COMMANDS_H

int cmd_list(int argc, char **argv);
int cmd_mutate(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_repro(int argc, char **argv);
int cmd_shrink(int argc, char **argv);
int cmd_judge(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_replay(int argc, char **argv);

#endif
