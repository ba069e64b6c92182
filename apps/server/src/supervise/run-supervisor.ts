import { EXIT, reportFailure } from "@tollgate/runtime/exit.ts";
import type { LogFields } from "@tollgate/runtime/log-fields.ts";
import { localUrl } from "../local-url.ts";
import type { SupervisorPlan } from "./become-supervisor.ts";
import { reserveSocket } from "./reserve-socket.ts";
import { Supervisor } from "./supervisor.ts";

// The program of the supervisor process. It imports as little as possible, because it runs as long as the server.

const io = { stdout: process.stdout, stderr: process.stderr, env: process.env, cwd: process.cwd() };
// A reader such as `head` may close the pipe early. Exit with 128 + SIGPIPE, like a shell.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(141);
});
process.exitCode = await runSupervisor(JSON.parse(process.argv[2] ?? "") as SupervisorPlan);
// A child that has been asked to stop may still be connected.
process.exit();

async function runSupervisor(plan: SupervisorPlan): Promise<number> {
  const { children, address, logLevel } = plan;
  const gateways = children.filter(({ kind }) => kind === "gateway").length;
  try {
    const socket = address === null ? null : await reserveSocket(address.host, address.port);
    const origin = socket === null || address === null ? null : localUrl(address.host, socket.port, plan.speaksTls);
    const env = { ...(gateways > 0 && origin !== null && { TOLLGATE_GATEWAY_URL: origin }), ...process.env };
    const supervisor = new Supervisor(children, socket, env, { warn: (...line) => void writeWarning(logLevel, line) });
    process.on("SIGTERM", () => supervisor.stop());
    process.on("SIGINT", () => supervisor.stop());
    process.on("SIGHUP", () => supervisor.reload());
    process.on("SIGUSR2", () => supervisor.announceLeaving());
    await Promise.race([supervisor.start(), supervisor.ended]);
    announce(plan, origin, gateways);
    return await supervisor.ended;
  } catch (error) {
    const { code, message, stack } = error as NodeJS.ErrnoException;
    if (code !== "EADDRINUSE") return reportFailure(io, String(io.env.TOLLGATE_DEBUG ? stack : message), EXIT.failure);
    return reportFailure(io, `The port is in use. Choose another port with --port. (${message})`, EXIT.usage);
  }
}

/**
 * Loads the logger for the first warning, because most supervisors never write one. If it cannot be loaded, for example
 * because an upgrade has replaced the files, the warning is plain text, and the children go on.
 */
async function writeWarning(level: string, [message, fields]: [message: string, fields?: LogFields]): Promise<void> {
  try {
    const { createLogger } = await import("@tollgate/runtime/logger.ts");
    createLogger("supervisor", level).warn(message, fields);
  } catch (error) {
    io.stderr.write(`supervisor: ${message} (cannot load the logger: ${(error as Error).message})\n`);
  }
}

function announce({ isJson, hasPlatform }: SupervisorPlan, origin: string | null, gateways: number): void {
  if (isJson) {
    const line = {
      baseUrl: gateways === 0 ? null : origin,
      platformUrl: hasPlatform ? origin : null,
      uiUrl: hasPlatform ? `${origin}/ui` : null,
      processes: gateways,
    };
    io.stdout.write(`${JSON.stringify(line)}\n`);
  } else if (origin === null) io.stdout.write("tollgate worker is running\n");
  else if (gateways === 0) io.stdout.write(`tollgate platform is serving on ${origin}/api\n`);
  else {
    const count = `${gateways} ${gateways === 1 ? "process" : "processes"}`;
    io.stdout.write(
      `tollgate is serving on ${origin} with ${count}${hasPlatform ? `, the platform on ${origin}/api` : ""}\n`,
    );
  }
}
