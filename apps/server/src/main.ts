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
  if (load === undefined)
    return reportFailure(io, `There is no command '${args.slice(0, 2).join(" ")}'.\n\n${USAGE}`, EXIT.usage);
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

process.exitCode = await main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
});
// A thread or connection that is still winding down must not keep a finished command from returning.
process.exit();
