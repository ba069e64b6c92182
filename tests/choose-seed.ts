import fc from "fast-check";

/**
 * Generated tests draw new cases on every run, so that they keep finding bugs. CI uses a fixed seed, so that a result
 * depends only on the change. `FC_SEED` repeats a run.
 */
const CI_SEED = 20_261_115;
const given = process.env.FC_SEED === undefined ? null : Number(process.env.FC_SEED);
const seed = given ?? (process.env.CI === undefined ? null : CI_SEED);
if (seed !== null) fc.configureGlobal({ seed });
