import { VERSION } from "@tollgate/gateway/version.ts";
import { EXIT, type Io, reportFailure } from "./commands/exit.ts";

const USAGE = `tollgate ${VERSION}

  tollgate dev             everything on this computer, nothing to install
  tollgate serve           gateway, platform and worker on PostgreSQL, one process per core
  tollgate config check    check a settings file and say what is in effect
  tollgate config convert  a LiteLLM file in our own words
  tollgate admin create    make an administrator of the platform
  tollgate doctor          check this installation and say how to mend it
  tollgate ledger verify   prove the books, and show every difference
  tollgate ledger explain  one call, from its units to its posting
  tollgate ledger re-rate  a period under other prices
  tollgate ledger rebuild  balances and totals by the postings
  tollgate ledger parked   events that could not be settled
  tollgate secrets rotate  seal what is stored under a new secret key, while everything runs
  tollgate import assistants  exported assistants and threads of OpenAI's, created again here
  tollgate train new       a training project that runs as it is
  tollgate train run       the rounds of a plan, with a report at the end
  tollgate train resume    go on with a run that was interrupted or paused
  tollgate train status    how far a run is
  tollgate train report    report, figures and charts of a run
  tollgate train plot      the accuracy of a run in the terminal
  tollgate train serve     runs as live pages on this computer
  tollgate train check     try a plan's participants, and say what to mend
  tollgate version         print the version

  tollgate <command> --help tells more.
`;

type Command = (args: readonly string[], io: Io) => Promise<number>;

/** The commands, loaded when they are called for: none should wait for what another needs. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  dev: async () => (await import("./commands/dev.ts")).dev,
  serve: async () => (await import("./commands/serve.ts")).serve,
  "config check": async () => (await import("./commands/config-check.ts")).configCheck,
  "config convert": async () => (await import("./commands/config-convert.ts")).configConvert,
  "admin create": async () => (await import("./commands/admin-create.ts")).adminCreate,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  "ledger verify": async () => (await import("./commands/ledger-verify.ts")).ledgerVerify,
  "ledger explain": async () => (await import("./commands/ledger-explain.ts")).ledgerExplain,
  "ledger re-rate": async () => (await import("./commands/ledger-re-rate.ts")).ledgerReRate,
  "ledger rebuild": async () => (await import("./commands/ledger-rebuild.ts")).ledgerRebuild,
  "ledger parked": async () => (await import("./commands/ledger-parked.ts")).ledgerParked,
  "secrets rotate": async () => (await import("./commands/secrets-rotate.ts")).secretsRotate,
  "import assistants": async () => (await import("./commands/import/import-assistants.ts")).importAssistants,
  "train new": async () => (await import("./commands/train/train-new.ts")).trainNew,
  "train run": async () => (await import("./commands/train/train-run.ts")).trainRun,
  "train resume": async () => (await import("./commands/train/train-resume.ts")).trainResume,
  "train status": async () => (await import("./commands/train/train-status.ts")).trainStatus,
  "train report": async () => (await import("./commands/train/train-report.ts")).trainReport,
  "train plot": async () => (await import("./commands/train/train-plot.ts")).trainPlot,
  "train serve": async () => (await import("./commands/train/train-serve.ts")).trainServe,
  "train check": async () => (await import("./commands/train/train-check.ts")).trainCheck,
};

async function main(args: readonly string[], io: Io): Promise<number> {
  const [first, second] = args;
  if (first === "version" || first === "--version" || first === "-V") {
    io.stdout.write(`${VERSION}\n`);
    return EXIT.ok;
  }
  if (first === undefined || first === "help" || first === "--help" || first === "-h") {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const name = `${first} ${second}` in commands ? `${first} ${second}` : first;
  const load = commands[name];
  if (load === undefined) return describeGroup(first, second, io);
  try {
    const command = await load();
    return await command(args.slice(name.split(" ").length), io);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (code.startsWith("ERR_PARSE_ARGS")) return reportFailure(io, (error as Error).message, EXIT.usage);
    return reportFailure(
      io,
      io.env.TOLLGATE_DEBUG ? String((error as Error).stack) : (error as Error).message,
      EXIT.failure,
    );
  }
}

/** A word that several commands begin with shows those; any other shows all. */
function describeGroup(first: string, second: string | undefined, io: Io): number {
  const group = USAGE.split("\n").filter((line) => line.startsWith(`  tollgate ${first} `));
  const shown = group.length === 0 ? USAGE : `${group.join("\n")}\n`;
  if (group.length > 0 && (second === "--help" || second === "-h")) {
    io.stdout.write(shown);
    return EXIT.ok;
  }
  const problem =
    group.length > 0 && second === undefined
      ? `'${first}' needs one more word:`
      : `There is no command '${[first, second].filter((word) => word !== undefined).join(" ")}'.`;
  return reportFailure(io, `${problem}\n\n${shown}`, EXIT.usage);
}

// A reader that has seen enough, such as head, closes the pipe: there is nobody left to tell. 128 + SIGPIPE, as shells say it.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(141);
});

process.exitCode = await main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
});
// A thread or connection that is still winding down must not keep a finished command from returning.
process.exit();
