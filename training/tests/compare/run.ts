import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Compares our coordinator with Flower on the same logistic regression task with three participants: as separate
 * processes on this machine (Flower's SuperLink and SuperNodes) and in Flower's simulation. Prints one JSON line at the
 * end.
 */
interface Measured {
  readonly rounds: number;
  /** Time from the start of the first round to the end of the last round, excluding program startup. */
  readonly seconds: number;
  /** Total duration of the command. */
  readonly wholeSeconds: number;
  readonly accuracy: number;
}

const here = import.meta.dirname;
const root = join(here, "../../..");
const scratch = mkdtempSync(join(tmpdir(), "tollgate-compare-"));
const PARTICIPANTS = 3;

async function main(): Promise<void> {
  const programs = spawnSync(join(root, "scripts/flower-setup"), { encoding: "utf8" }).stdout.trim();
  const ours: Measured[] = [];
  const simulated: Measured[] = [];
  for (let turn = 1; turn <= 3; turn += 1) {
    ours.push(await tell(`ours, turn ${turn}`, runOurs(20)));
    simulated.push(await tell(`Flower, simulation, turn ${turn}`, runFlower(programs, 20, "simulation")));
  }
  const deployed = [await tell("Flower, processes", runFlower(programs, 5, "processes"))];
  console.log(
    JSON.stringify({
      tollgate: summarize(ours),
      flowerSimulation: summarize(simulated),
      flowerProcesses: summarize(deployed),
      linesOfUserCode: {
        tollgate: countLines("tollgate_app.py"),
        flower: countLines("flower-app/logistic/client_app.py", "flower-app/logistic/server_app.py"),
        flowerSettings: countLines("flower-app/pyproject.toml"),
      },
    }),
  );
}

/** Runs our coordinator with three Python participants as separate processes, started by the same command. */
async function runOurs(rounds: number): Promise<Measured> {
  const folder = join(scratch, `ours-${performance.now()}`);
  mkdirSync(folder);
  for (const file of ["tollgate_app.py", "logistic_task.py"]) cpSync(join(here, file), join(folder, file));
  writeFileSync(
    join(folder, "plan.yaml"),
    [
      `run: { name: compare, rounds: ${rounds}, seed: 7 }`,
      `local: { participants: ${PARTICIPANTS}, command: [python3, tollgate_app.py] }`,
      "aggregate: { by: coordinator, method: fedavg, weights: num_examples, format: f32 }",
    ].join("\n"),
  );
  const startedAtMs = performance.now();
  const { status, stdout, stderr } = await finished(
    spawn(join(root, "bin/tollgate"), ["train", "run", "--json"], { cwd: folder }),
  );
  if (status !== 0) throw new Error(`train run ended with ${status}: ${stderr.slice(-2_000)}`);
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; at: string; accuracy?: number });
  const first = events.find(({ type }) => type === "round.started");
  const commits = events.filter(({ type }) => type === "round.committed");
  const last = commits.at(-1);
  if (first === undefined || last === undefined) throw new Error("no round was committed");
  return {
    rounds: commits.length,
    seconds: (Date.parse(last.at) - Date.parse(first.at)) / 1_000,
    wholeSeconds: (performance.now() - startedAtMs) / 1_000,
    accuracy: last.accuracy ?? Number.NaN,
  };
}

async function runFlower(programs: string, rounds: number, way: "simulation" | "processes"): Promise<Measured> {
  const app = join(scratch, `flower-${performance.now()}`);
  cpSync(join(here, "flower-app"), app, { recursive: true });
  cpSync(join(here, "logistic_task.py"), join(app, "logistic/logistic_task.py"));
  const home = join(app, ".home");
  mkdirSync(home);
  writeFileSync(
    join(home, "config.toml"),
    '[superlink]\ndefault = "local"\n[superlink.local]\naddress = "127.0.0.1:8000"\ninsecure = true\n',
  );
  const env = { ...process.env, PATH: `${programs}:${process.env.PATH}`, FLWR_HOME: home, FLWR_TELEMETRY_ENABLED: "0" };
  const background: ChildProcess[] = [];
  const start = (program: string, ...args: string[]): void => {
    background.push(spawn(join(programs, program), args, { cwd: app, env, stdio: "ignore" }));
  };
  const startedAtMs = performance.now();
  try {
    const simulation = way === "simulation" ? ["--simulation"] : [];
    start("flower-superlink", "--insecure", "--disable-runtime-dependency-installation", ...simulation);
    await answers("http://127.0.0.1:8000");
    if (way === "simulation") {
      const args = ["federation", "simulation-config", "--num-supernodes", String(PARTICIPANTS)];
      await finished(spawn(join(programs, "flwr"), args, { cwd: app, env }));
    } else {
      for (let node = 0; node < PARTICIPANTS; node += 1) {
        const place = ["--superlink", "127.0.0.1:8000", "--port", String(9_100 + node * 10)];
        start("flower-supernode", "--insecure", ...place, "--node-config", `partition-id=${node}`);
      }
    }
    const run = spawn(join(programs, "flwr"), ["run", ".", "local", "--stream", "-c", `rounds=${rounds}`], {
      cwd: app,
      env,
    });
    const { stdout, stderr } = await finished(run);
    const found = /COMPARE seconds=([\d.]+) rounds=(\d+) accuracy=([\d.]+)/.exec(stdout);
    if (found === null) throw new Error(`Flower said no figures: ${(stdout + stderr).slice(-2_000)}`);
    return {
      rounds: Number(found[2]),
      seconds: Number(found[1]),
      wholeSeconds: (performance.now() - startedAtMs) / 1_000,
      accuracy: Number(found[3]),
    };
  } finally {
    await Promise.all(background.map(stop));
  }
}

async function tell(name: string, measuring: Promise<Measured>): Promise<Measured> {
  const measured = await measuring;
  console.log(
    `${name}: ${(measured.rounds / measured.seconds).toFixed(2)} rounds/s, ${measured.wholeSeconds.toFixed(1)} s total, accuracy ${measured.accuracy.toFixed(4)}`,
  );
  return measured;
}

function summarize(turns: readonly Measured[]): object {
  const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
  return {
    roundsPerSecond: Number(median(turns.map(({ rounds, seconds }) => rounds / seconds)).toFixed(3)),
    wholeSeconds: Number(median(turns.map(({ wholeSeconds }) => wholeSeconds)).toFixed(2)),
    rounds: turns[0]?.rounds,
    accuracy: Number(median(turns.map(({ accuracy }) => accuracy)).toFixed(4)),
  };
}

/** Counts lines that are neither empty nor comments. The task itself is shared and not counted. */
function countLines(...files: string[]): number {
  const lines = files.flatMap((file) => readFileSync(join(here, file), "utf8").split("\n"));
  return lines.filter((line) => line.trim() !== "" && !line.trim().startsWith("#")).length;
}

function finished(child: ChildProcess): Promise<{ status: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    let stdout = "";
    let stderr = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.once("close", (code) => resolve({ status: code ?? 1, stdout, stderr }));
  });
}

async function answers(url: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const answered = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} does not answer`);
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
  });
}

try {
  await main();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
