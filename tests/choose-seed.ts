import fc from "fast-check";

/**
 * Generated tests draw new cases on every run, so that they go on finding things; CI draws the same ones each time, so
 * that a change is judged by what it changed. `FC_SEED` repeats a run.
 */
const CI_SEED = 20_261_115;
const given = process.env.FC_SEED === undefined ? null : Number(process.env.FC_SEED);
const seed = given ?? (process.env.CI === undefined ? null : CI_SEED);
if (seed !== null) fc.configureGlobal({ seed });
