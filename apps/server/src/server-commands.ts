import type { CommandGroup, ForeignCommand } from "@tollgate/cli/command.ts";
import type { OperatorCommand } from "@tollgate/operate/operator-io.ts";
import { EXIT, type Io, reportFailure } from "@tollgate/runtime/exit.ts";

type Command = (args: readonly string[], io: Io) => Promise<number>;
type Row = readonly [name: string, purpose: string, load: () => Promise<Command>];

/** Gives an operator command what it uses of the other apps. Both are loaded together, when the command runs. */
const operate = (load: () => Promise<OperatorCommand>) => async (): Promise<Command> => {
  const [command, { apps }] = await Promise.all([load(), import("./operate-apps.ts")]);
  return (args, io) => command(args, { ...io, apps });
};

/** Server commands. Each command is loaded on demand, so that no command waits for another command's imports. */
const rows: readonly Row[] = [
  ["dev", "Start a complete local server for development", async () => (await import("./commands/dev.ts")).dev],
  [
    "serve",
    "Run the gateway, platform, and worker on PostgreSQL",
    async () => (await import("./commands/serve.ts")).serve,
  ],
  [
    "config check",
    "Validate a settings file and show the effective settings",
    operate(async () => (await import("@tollgate/operate/config/config-check.ts")).configCheck),
  ],
  [
    "config convert",
    "Convert a LiteLLM settings file",
    operate(async () => (await import("@tollgate/operate/config/config-convert.ts")).configConvert),
  ],
  [
    "admin create",
    "Create or promote a platform administrator",
    operate(async () => (await import("@tollgate/operate/admin/admin-create.ts")).adminCreate),
  ],
  [
    "doctor",
    "Check a server or the connection to it, and suggest fixes",
    operate(async () => (await import("./commands/doctor-here.ts")).doctorHere),
  ],
  [
    "migrate status",
    "Compare the database schema with this version's schema",
    operate(async () => (await import("@tollgate/operate/migrate/migrate.ts")).migrateStatus),
  ],
  [
    "migrate plan",
    "Show what a schema upgrade would change",
    operate(async () => (await import("@tollgate/operate/migrate/migrate.ts")).migratePlan),
  ],
  [
    "migrate up",
    "Upgrade the database schema without downtime",
    operate(async () => (await import("@tollgate/operate/migrate/migrate.ts")).migrateUp),
  ],
  [
    "backup",
    "Back up the database to one consistent file",
    operate(async () => (await import("@tollgate/operate/backup/backup.ts")).backup),
  ],
  [
    "restore",
    "Check a backup, or restore it to an empty database",
    operate(async () => (await import("@tollgate/operate/restore/restore.ts")).restore),
  ],
  [
    "ledger verify",
    "Verify the ledger and show every difference",
    operate(async () => (await import("@tollgate/operate/ledger/ledger-verify.ts")).ledgerVerify),
  ],
  [
    "ledger explain",
    "Show how a request was priced and posted",
    operate(async () => (await import("@tollgate/operate/ledger/ledger-explain.ts")).ledgerExplain),
  ],
  [
    "ledger re-rate",
    "Recalculate the cost of a period with different prices",
    operate(async () => (await import("@tollgate/operate/ledger/ledger-re-rate.ts")).ledgerReRate),
  ],
  [
    "ledger rebuild",
    "Recalculate balances and totals from the postings",
    operate(async () => (await import("@tollgate/operate/ledger/ledger-rebuild.ts")).ledgerRebuild),
  ],
  [
    "ledger parked",
    "List or redrive usage events that could not be settled",
    operate(async () => (await import("@tollgate/operate/ledger/ledger-parked.ts")).ledgerParked),
  ],
  [
    "prices update",
    "Show what a catalog edition changes, and apply it",
    operate(async () => (await import("@tollgate/operate/prices/prices-update.ts")).pricesUpdate),
  ],
  [
    "prices review",
    "List catalog prices that sources disagree about",
    operate(async () => (await import("@tollgate/operate/prices/prices-review.ts")).pricesReview),
  ],
  [
    "prices confirm",
    "Confirm the disputed catalog prices of models",
    operate(async () => (await import("@tollgate/operate/prices/prices-confirm.ts")).pricesConfirm),
  ],
  [
    "prices history",
    "List the catalog editions that were applied",
    operate(async () => (await import("@tollgate/operate/prices/prices-history.ts")).pricesHistory),
  ],
  [
    "secrets rotate",
    "Re-encrypt stored secrets with a new secret key",
    operate(async () => (await import("@tollgate/operate/secrets/secrets-rotate.ts")).secretsRotate),
  ],
  [
    "import assistants",
    "Import assistants and threads exported from OpenAI",
    async () => (await import("@tollgate/operate/import-assistants/import-assistants.ts")).importAssistants,
  ],
  [
    "import litellm",
    "Import settings, organizations, users, and keys from LiteLLM",
    operate(async () => (await import("@tollgate/operate/import-litellm/import-litellm.ts")).importLitellm),
  ],
  [
    "train new",
    "Create a training project that is ready to run",
    async () => (await import("@tollgate/operate/train/train-new.ts")).trainNew,
  ],
  [
    "train run",
    "Run a training plan and write a report",
    async () => (await import("@tollgate/operate/train/train-run.ts")).trainRun,
  ],
  [
    "train resume",
    "Resume an interrupted or paused run",
    async () => (await import("@tollgate/operate/train/train-resume.ts")).trainResume,
  ],
  [
    "train status",
    "Show the progress of a run",
    async () => (await import("@tollgate/operate/train/train-status.ts")).trainStatus,
  ],
  [
    "train report",
    "Write a run's report, metrics, and charts",
    async () => (await import("@tollgate/operate/train/train-report.ts")).trainReport,
  ],
  [
    "train plot",
    "Plot a run's accuracy in the terminal",
    async () => (await import("@tollgate/operate/train/train-plot.ts")).trainPlot,
  ],
  [
    "train serve",
    "Serve live pages for runs on this computer",
    async () => (await import("@tollgate/operate/train/train-serve.ts")).trainServe,
  ],
  [
    "train check",
    "Check a plan's participants and suggest fixes",
    async () => (await import("@tollgate/operate/train/train-check.ts")).trainCheck,
  ],
];

/** Returns the help sections for the server commands. */
export function serverGroups(io: Io): readonly CommandGroup[] {
  const commands = serverCommands(io);
  const isTraining = ({ name }: ForeignCommand) => name.startsWith("train ");
  return [
    {
      name: "server",
      title: "Server",
      summary: "Run, configure, upgrade, back up, and verify a server",
      commands: commands.filter((command) => !isTraining(command)),
    },
    {
      name: "train",
      title: "Training",
      summary: "Federated training projects and runs",
      commands: commands.filter(isTraining),
    },
  ];
}

/** Returns the server commands in the CLI's format, using the given input and output. */
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
