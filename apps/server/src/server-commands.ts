import type { ForeignCommand } from "@tollgate/cli/command.ts";
import { EXIT, type Io, reportFailure } from "./commands/exit.ts";

type Command = (args: readonly string[], io: Io) => Promise<number>;
type Row = readonly [name: string, purpose: string, load: () => Promise<Command>];

/** The commands that run this product or look after it, loaded when they are called for: none should wait for what another needs. */
const rows: readonly Row[] = [
  ["dev", "everything on this computer, nothing to install", async () => (await import("./commands/dev.ts")).dev],
  [
    "serve",
    "gateway, platform and worker on PostgreSQL, one process per core",
    async () => (await import("./commands/serve.ts")).serve,
  ],
  [
    "config check",
    "check a settings file and say what is in effect",
    async () => (await import("./commands/config-check.ts")).configCheck,
  ],
  [
    "config convert",
    "a LiteLLM file in our own words",
    async () => (await import("./commands/config-convert.ts")).configConvert,
  ],
  [
    "admin create",
    "make an administrator of the platform",
    async () => (await import("./commands/admin-create.ts")).adminCreate,
  ],
  [
    "doctor",
    "check this installation, or the way to one, and say how to mend it",
    async () => (await import("./commands/doctor-here.ts")).doctorHere,
  ],
  [
    "migrate status",
    "the schema of the database, and of this version",
    async () => (await import("./commands/migrate.ts")).migrateStatus,
  ],
  [
    "migrate plan",
    "what an upgrade of the schema would do",
    async () => (await import("./commands/migrate.ts")).migratePlan,
  ],
  [
    "migrate up",
    "bring the schema to this version, while everything runs",
    async () => (await import("./commands/migrate.ts")).migrateUp,
  ],
  [
    "backup",
    "everything of the database in one file, from one moment",
    async () => (await import("./commands/backup.ts")).backup,
  ],
  [
    "restore",
    "check a backup, or fill an empty database with it",
    async () => (await import("./commands/restore.ts")).restore,
  ],
  [
    "ledger verify",
    "prove the books, and show every difference",
    async () => (await import("./commands/ledger-verify.ts")).ledgerVerify,
  ],
  [
    "ledger explain",
    "one call, from its units to its posting",
    async () => (await import("./commands/ledger-explain.ts")).ledgerExplain,
  ],
  [
    "ledger re-rate",
    "a period under other prices",
    async () => (await import("./commands/ledger-re-rate.ts")).ledgerReRate,
  ],
  [
    "ledger rebuild",
    "balances and totals by the postings",
    async () => (await import("./commands/ledger-rebuild.ts")).ledgerRebuild,
  ],
  [
    "ledger parked",
    "events that could not be settled",
    async () => (await import("./commands/ledger-parked.ts")).ledgerParked,
  ],
  [
    "secrets rotate",
    "seal what is stored under a new secret key, while everything runs",
    async () => (await import("./commands/secrets-rotate.ts")).secretsRotate,
  ],
  [
    "import assistants",
    "exported assistants and threads of OpenAI's, created again here",
    async () => (await import("./commands/import/import-assistants.ts")).importAssistants,
  ],
  [
    "import litellm",
    "settings, organizations, teams, people and keys of a LiteLLM proxy; client keys go on working",
    async () => (await import("./commands/import-litellm/import-litellm.ts")).importLitellm,
  ],
  [
    "train new",
    "a training project that runs as it is",
    async () => (await import("./commands/train/train-new.ts")).trainNew,
  ],
  [
    "train run",
    "the rounds of a plan, with a report at the end",
    async () => (await import("./commands/train/train-run.ts")).trainRun,
  ],
  [
    "train resume",
    "go on with a run that was interrupted or paused",
    async () => (await import("./commands/train/train-resume.ts")).trainResume,
  ],
  ["train status", "how far a run is", async () => (await import("./commands/train/train-status.ts")).trainStatus],
  [
    "train report",
    "report, figures and charts of a run",
    async () => (await import("./commands/train/train-report.ts")).trainReport,
  ],
  [
    "train plot",
    "the accuracy of a run in the terminal",
    async () => (await import("./commands/train/train-plot.ts")).trainPlot,
  ],
  [
    "train serve",
    "runs as live pages on this computer",
    async () => (await import("./commands/train/train-serve.ts")).trainServe,
  ],
  [
    "train check",
    "try a plan's participants, and say what to mend",
    async () => (await import("./commands/train/train-check.ts")).trainCheck,
  ],
];

/** The same as the command line knows commands, talking through this. */
export function serverCommands(io: Io): readonly ForeignCommand[] {
  return rows.map(([name, purpose, load]) => ({
    name,
    purpose,
    runAs: async (args) => {
      try {
        return await (await load())(args, io);
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? "";
        if (code.startsWith("ERR_PARSE_ARGS")) return reportFailure(io, (error as Error).message, EXIT.usage);
        const { message, stack } = error as Error;
        return reportFailure(io, io.env.TOLLGATE_DEBUG ? String(stack) : message, EXIT.failure);
      }
    },
  }));
}
