import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import type { Report } from "@tollgate/testkit/report.ts";
import { startInstance } from "./instance.ts";
import type { ProxyName } from "./programs.ts";
import { promises } from "./promises.ts";
import { makeCertificate, startProxy } from "./start-proxy.ts";

/** Checks every promise through each proxy with its sample configuration. */
export async function checkProxies(names: readonly ProxyName[], report: Report): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "tollgate-proxies-"));
  const upstream = await startFakeUpstream();
  const instance = await startInstance(scratch, upstream.origin);
  try {
    const shared = { ...makeCertificate(scratch), scratch, upstreamPort: instance.port };
    for (const name of names) {
      const proxy = await startProxy(name, { ...shared, subPath: null });
      const below = await startProxy(name, { ...shared, subPath: instance.rootPath });
      try {
        const scene = { port: proxy.port, subPathPort: below.port, upstream, instance };
        for (const [promise, keep] of Object.entries(promises))
          await report.check("proxies", `${name}: ${promise}`, () => keep(scene));
      } finally {
        await Promise.all([proxy.stop(), below.stop()]);
      }
    }
  } finally {
    await instance.stop();
    await upstream.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}
