import { fileURLToPath } from "node:url";
import type { MadeCertificate } from "@tollgate/testkit/certificates.ts";
import { ask } from "../processes/ask.ts";
import { cores } from "../processes/cores.ts";
import { takeFreePort } from "../processes/free-port.ts";
import { startPinned } from "../processes/start-pinned.ts";
import type { UpstreamCommand } from "./fake-upstream.ts";

export interface Upstream {
  readonly port: number;
  pids(): number[];
  /** Returns the body of the latest request, as sent by a contestant. */
  readLastBody(): Promise<string>;
  endHeldStreams(): Promise<number>;
  /** Serves the same responses over TLS. Resolves with the TLS port. */
  listenTls(identity: MadeCertificate): Promise<number>;
}

/** Starts the fake upstream in a separate process. */
export async function startUpstream(directory: string): Promise<Upstream> {
  const port = await takeFreePort();
  const program = startPinned({
    name: "upstream",
    core: cores.upstream,
    command: process.execPath,
    args: [fileURLToPath(new URL("fake-upstream.ts", import.meta.url))],
    directory,
    hasChannel: true,
  });
  const order = <Value>(command: UpstreamCommand) => ask<Value>(program, command);
  await order({ kind: "listen", port });
  return {
    port,
    pids: program.pids,
    readLastBody: () => order({ kind: "lastBody" }),
    endHeldStreams: () => order({ kind: "endHeld" }),
    listenTls: async ({ certificate, key }) => {
      const tlsPort = await takeFreePort();
      await order({ kind: "listenTls", port: tlsPort, certificate, key });
      return tlsPort;
    },
  };
}
