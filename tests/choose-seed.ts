import fc from "fast-check";

/**
 * Seed for property tests in CI, so that a result depends only on the change. Outside CI, the tests draw new cases on
 * every run, so that they keep finding bugs. To repeat a run, set `FC_SEED`.
 */
const CI_SEED = 20_261_115;
const given = process.env.FC_SEED === undefined ? null : Number(process.env.FC_SEED);
const seed = given ?? (process.env.CI === undefined ? null : CI_SEED);
if (seed !== null) fc.configureGlobal({ seed });
