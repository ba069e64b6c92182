import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";

/** Port of each engine on 127.0.0.1. Tests read the same file. */
export interface Ports {
  postgres: number;
  redis: number;
  nats: number;
  natsCluster: number[];
  natsRoutes: number[];
}

export const defaultPorts: Ports = {
  postgres: 56432,
  redis: 56379,
  nats: 56222,
  natsCluster: [56223, 56224, 56225],
  natsRoutes: [56226, 56227, 56228],
};

export function readPorts(file: string): Ports {
  try {
    return { ...defaultPorts, ...JSON.parse(readFileSync(file, "utf8")) };
  } catch {
    return defaultPorts;
  }
}

export function writePorts(file: string, ports: Ports): void {
  // Rename the file into place, so that concurrent readers see the old or the new one, never a partial one.
  const beside = `${file}.${process.pid}`;
  writeFileSync(beside, `${JSON.stringify(ports)}\n`);
  renameSync(beside, file);
}

/** Returns the wanted port, or another free one if it is taken. */
export async function claimPort(wanted: number): Promise<number> {
  return (await tryPort(wanted)) ?? (await tryPort(0)) ?? wanted;
}

function tryPort(port: number): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const server = createServer();
  server.once("error", () => resolve(null));
  server.listen(port, "127.0.0.1", () => {
    const address = server.address();
    const taken = typeof address === "object" && address !== null ? address.port : null;
    server.close(() => resolve(taken));
  });
  return promise;
}
