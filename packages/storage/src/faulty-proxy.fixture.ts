import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What happens to one request. */
type Fault =
  /** The store responds that it is busy, and never gets the request. */
  | "busy"
  /** The connection breaks before the store gets the request. */
  | "lost request"
  /** The store handles the request, and the connection breaks before its response. */
  | "lost response"
  /** The connection breaks in the middle of the response. */
  | "cut response"
  /** The store refuses the credentials as expired. */
  | "expired";

/** A proxy in front of a store that breaks chosen requests. */
export interface FaultyProxy {
  readonly url: string;
  /** Methods of all requests that arrived. */
  readonly requests: string[];
  /** Adds faults for the next requests of a kind (`PUT`, or `POST uploadId` for one with a parameter), in order. */
  fail(kind: string, ...faults: readonly Fault[]): void;
  close(): Promise<void>;
}

export async function startFaultyProxy(port: number): Promise<FaultyProxy> {
  const planned: { readonly kind: string; readonly fault: Fault }[] = [];
  const requests: string[] = [];
  const takeFault = ({ method = "", url = "" }: IncomingMessage): Fault | null => {
    const at = planned.findIndex(({ kind }) => {
      const [wantedMethod, parameter] = kind.split(" ");
      return method === wantedMethod && (parameter === undefined || url.includes(`${parameter}=`));
    });
    return at === -1 ? null : (planned.splice(at, 1)[0]?.fault ?? null);
  };
  const server = createServer((incoming, outgoing) => {
    requests.push(String(incoming.method));
    const fault = takeFault(incoming);
    if (fault === "lost request") return void incoming.socket.destroy();
    if (fault === "busy" || fault === "expired") return refuse(incoming, outgoing, fault);
    const { method, url, headers } = incoming;
    const forwarded = request({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
      if (fault === "lost response") return void answer.resume().on("end", () => incoming.socket.destroy());
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      if (fault !== "cut response") return void answer.pipe(outgoing);
      answer.once("data", (chunk: Buffer) => {
        outgoing.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => incoming.socket.destroy());
        answer.destroy();
      });
    });
    forwarded.on("error", () => incoming.socket.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    fail: (kind, ...faults) => planned.push(...faults.map((fault) => ({ kind, fault }))),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse, fault: "busy" | "expired"): void {
  const [status, code] = fault === "busy" ? [503, "SlowDown"] : [400, "ExpiredToken"];
  incoming.resume().on("end", () => {
    outgoing
      .writeHead(status, { "content-type": "application/xml" })
      .end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>secret</Message></Error>`);
  });
}
