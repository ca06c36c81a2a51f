/* The entry of a program for the machine that edgegen runs on: with an argument it runs the model's
 * self-test, without one the harness. The harness is compiled with -Dmain=harness_main, all of it with
 * -DHARNESS_SELFTEST=<model>_selftest. */
#undef main

int HARNESS_SELFTEST(void);
int harness_main(void);

int main(int argc, char **argv)
{
    (void)argv;
    return argc > 1 ? -HARNESS_SELFTEST() : harness_main();
}
