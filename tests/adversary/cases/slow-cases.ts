import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { openPlatform } from "../../chaos/stage/account.ts";
import { type Attack, type Case, type CaseContext, type CaseOutcome, inBatches } from "../case.ts";
import { askPlatform, signUpPerson } from "../client/ask-platform.ts";
import { exactly } from "./cut-cases.ts";

const CONNECTIONS = 500;
/** Number of source addresses. One address may open 256 connections to a process. */
const ADDRESSES = 10;
const BYTE_EVERY_MS = 1_000;
/** The crowd sends for this long before and while other clients are measured. */
const SETTLE_MS = 1_500;
const OTHERS = 20;
const TOGETHER = 4;
/** Limit for the slowest other request, on a machine that many tests share. */
const MAX_WAIT_MS = 10_000;
/** A head has 10 seconds, and bodies are checked every second. */
const CUT_LIMIT_MS = 45_000;

export const slowCases: readonly Case[] = [
  {
    name: "slow-senders-gateway",
    promise: "500 connections that send one byte a second, in heads or bodies, delay no other client and are closed",
    guards: "row 14, limits on arrival",
    isQuick: false,
    run: (context) => besiege(context, "gateway"),
  },
  {
    name: "slow-senders-platform",
    promise: "The same for the management API and the console",
    guards: "row 14, limits on arrival",
    isQuick: true,
    run: (context) => besiege(context, "platform"),
  },
];

/** Clients that send a byte at a time. */
class Crowd {
  readonly #sockets: Socket[] = [];
  readonly #timer: NodeJS.Timeout;
  #opened = 0;
  #closed = 0;

  constructor(port: number, lines: readonly string[]) {
    for (let index = 0; index < CONNECTIONS; index += 1) {
      const socket = connect({ port, host: "127.0.0.1", localAddress: `127.0.30.${1 + (index % ADDRESSES)}` });
      socket.on("error", () => {});
      socket.once("connect", () => {
        this.#opened += 1;
      });
      socket.once("close", () => {
        this.#closed += 1;
      });
      socket.resume();
      // Half of the clients are slow in the head, and the others in the body.
      const head = `${lines[index % lines.length]} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n`;
      socket.write(index % 2 === 0 ? head : `${head}content-length: 100000\r\n\r\n`);
      this.#sockets.push(socket);
    }
    this.#timer = setInterval(() => {
      for (const socket of this.#sockets) if (socket.writable) socket.write("x");
    }, BYTE_EVERY_MS);
  }

  get opened(): number {
    return this.#opened;
  }

  get closed(): number {
    return this.#closed;
  }

  leave(): void {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
  }
}

async function besiege(context: CaseContext, target: "gateway" | "platform"): Promise<CaseOutcome> {
  const { stage, isQuick } = context;
  const { tollgate } = stage;
  const problems: string[] = [];
  const tenant = await context.addTenant();
  await openPlatform(stage);
  const { token } = await signUpPerson(stage);
  const isGateway = target === "gateway";
  const lines = isGateway
    ? ["POST /v1/chat/completions", "POST /key/generate", "POST /v1/embeddings", "GET /v1/models"]
    : ["POST /api/auth/token", "POST /api/gw/teams", "POST /api/auth/sign-up", "GET /ui/"];
  const crowd = new Crowd(isGateway ? tollgate.port : tollgate.platformPort, lines);
  const waits: number[] = [];
  const attacks: Attack[] = [];
  try {
    await pause(SETTLE_MS);
    if (crowd.opened < CONNECTIONS) problems.push(`${CONNECTIONS - crowd.opened} slow clients could not connect`);
    await inBatches(Array.from({ length: OTHERS }), TOGETHER, async () => {
      const startedAtMs = performance.now();
      if (isGateway) {
        const attack: Attack = { nonce: context.nonce(), tenant, model: "mind" };
        attacks.push(attack);
        const { status } = await context.attack(attack);
        if (status !== 200) problems.push(`another client was answered ${status}`);
      } else {
        const { status } = await askPlatform(stage, "GET", "/api/auth/me", { token });
        if (status !== 200) problems.push(`another client was answered ${status}`);
      }
      waits.push(performance.now() - startedAtMs);
    });
    const deadline = performance.now() + CUT_LIMIT_MS;
    while (!isQuick && crowd.closed < CONNECTIONS && performance.now() < deadline) await pause(200);
    if (!isQuick && crowd.closed < CONNECTIONS)
      problems.push(`${CONNECTIONS - crowd.closed} slow clients were not cut`);
  } finally {
    crowd.leave();
  }
  const slowestMs = Math.round(Math.max(...waits));
  if (slowestMs > MAX_WAIT_MS) problems.push(`another client waited ${slowestMs} ms`);
  return { calls: attacks.map(exactly), problems, figures: { [`${target}SlowestMs`]: slowestMs } };
}
