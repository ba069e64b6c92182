import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import type { Report } from "@tollgate/testkit/report.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { labelOf, modes, type Observation, sides, type Target } from "../differential/observation.ts";
import { askFor, ENDLESS } from "../differential/play-scenarios.ts";
import type { Scenario } from "../differential/scenario.ts";
import { PICTURE, POINT } from "../stage/play-conversation.ts";
import { SCRIPTED_GROUP } from "../stage/served-groups.ts";
import type { Stage } from "../stage/start-stage.ts";
import { families } from "./families.ts";
import { makeSilence } from "./make-silence.ts";

const MAKE_ENVIRONMENT = join(import.meta.dirname, "../../../scripts/python");
const PROGRAM = join(import.meta.dirname, "python_client.py");
const LEAVE_LABEL = "python / leaves";

export interface PythonJob {
  readonly runsCore: boolean;
  /** Scenarios whose responses are decoded from both the upstream and the gateway; may be empty. */
  readonly scenarios: readonly Scenario[];
  readonly targets: Readonly<Record<Observation["side"], Target>>;
}

type Line =
  | { readonly kind: "version"; readonly version: string }
  | { readonly kind: "check"; readonly name: string; readonly problem: string | null }
  | ({ readonly kind: "observation" } & Observation);

/**
 * Runs the checks and observations with the stock Python client. Returns the client's version and the decoded results.
 */
export async function runPython(
  stage: Stage,
  job: PythonJob,
  report: Report,
): Promise<{ readonly version: string; readonly observations: readonly Observation[] }> {
  const { stdout } = await promisify(execFile)(MAKE_ENVIRONMENT);
  const child = spawn(stdout.trim(), [PROGRAM], { stdio: ["pipe", "pipe", "pipe"], env: { PATH: process.env.PATH } });
  child.stdin.end(JSON.stringify(describeJob(stage, job)));
  const complaints = text(child.stderr);
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let version = "unknown";
  const observations: Observation[] = [];
  for await (const written of createInterface(child.stdout)) {
    const line = JSON.parse(written) as Line;
    if (line.kind === "version") version = line.version;
    else if (line.kind === "check") report.record("python", line.name, line.problem);
    else observations.push(line);
  }
  if ((await exited) !== 0) report.record("python", "the program runs to its end", await complaints);
  if (job.runsCore) {
    await report.check(
      "python",
      "disconnecting from a stream stops the upstream if the deployment aborts on disconnect",
      () => expectLeft(stage),
    );
  }
  return { version, observations };
}

function describeJob({ tollgate }: Stage, { runsCore, scenarios, targets }: PythonJob): unknown {
  const questions = scenarios.flatMap(({ name, request }) =>
    modes.map((mode) => ({
      scenario: name,
      mode,
      bodies: Object.fromEntries(
        sides.map((side) => {
          const user = labelOf("python", { scenario: name, mode, side });
          return [side, { messages: [{ role: "user", content: askFor(name) }], user, ...request }];
        }),
      ),
    })),
  );
  return {
    baseUrl: tollgate.baseUrl,
    apiKey: tollgate.apiKey,
    scriptedGroup: SCRIPTED_GROUP,
    endless: ENDLESS,
    leaveLabel: LEAVE_LABEL,
    families,
    picture: PICTURE,
    point: POINT,
    silence: makeSilence().toString("base64"),
    runsCore,
    questions,
    targets,
  };
}

async function expectLeft({ upstream }: Stage): Promise<void> {
  const isMeant = (body: { user?: string }) => body.user === LEAVE_LABEL;
  const found = upstream.requests.find((request) => isMeant(request.json() as { user?: string }));
  assert.ok(found, "the upstream was asked");
  const end = await waitFor("the upstream to notice the disconnect", () => found.end);
  assert.equal(end.kind, "aborted");
}
