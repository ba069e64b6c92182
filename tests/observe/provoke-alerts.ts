import { setTimeout as pause } from "node:timers/promises";
import type { Report } from "../../packages/testkit/src/report.ts";
import type { Instance } from "./instance.ts";
import type { FiringAlert, RunningPrometheus } from "./start-prometheus.ts";

/** Time limit for an alert to change, also on a slow machine. */
const LIMIT_MS = 120_000;
/** ID of an event that no process wrote. */
const PARKED = "00000000-0000-4000-8000-000000000001";

const provoked = [
  "TollgateErrorRate",
  "TollgateProviderDown",
  "TollgateLedgerDifference",
  "TollgateParkedEvents",
  "TollgateOrderPaidNotCredited",
] as const;

/**
 * Causes failures and waits until Prometheus fires the alerts. Then fixes the failures and waits until the alerts
 * resolve.
 */
export async function provokeAlerts(
  report: Report,
  prometheus: RunningPrometheus,
  instance: Instance,
  callBroken: () => void,
): Promise<void> {
  const firing = async () => (await prometheus.alerts()).filter(({ state }) => state === "firing");
  const until = async (name: string, wanted: (alerts: readonly FiringAlert[]) => boolean) => {
    const deadline = performance.now() + LIMIT_MS;
    for (;;) {
      const found = (await firing()).filter(({ labels }) => labels.alertname === name);
      if (wanted(found)) return found;
      if (performance.now() > deadline) throw new Error(`${found.length} ${name} after ${LIMIT_MS / 1_000} s`);
      await pause(250);
    }
  };
  const fires = (name: (typeof provoked)[number], what: (alert: FiringAlert) => boolean = () => true) =>
    report.check("observe", `${name} fires`, async () => {
      const [alert] = (await until(name, (found) => found.some(what))).filter(what);
      if (!alert?.annotations.runbook_url?.startsWith("http")) throw new Error("it leads to no runbook");
    });
  const ends = (name: (typeof provoked)[number]) =>
    report.check("observe", `${name} ends`, async () => {
      await until(name, (found) => found.length === 0);
    });

  await report.check("observe", "none of these fires before anything is broken", async () => {
    const deadline = performance.now() + LIMIT_MS;
    while ((await prometheus.query("max(gw_ledger_differences)")).length === 0 && performance.now() < deadline) {
      await pause(250);
    }
    const early = (await firing()).map(({ labels }) => String(labels.alertname));
    const wrong = early.filter((name) => (provoked as readonly string[]).includes(name));
    if (wrong.length > 0) throw new Error(wrong.join(", "));
  });

  callBroken();
  await instance.tamper("update organization_quota set balance = balance + 7, total_adjusted = total_adjusted + 7");
  await instance.tamper(
    `set tollgate.administrator = 'on'; insert into parked_events (id, reason, event) values ('${PARKED}', 'tampered', '{}');
     insert into webhook_events (provider, event_id, kind, facts, received_at)
       values ('fake', 'evt_tampered', 'paid', '{}', now() - interval '1 hour')`,
  );
  await instance.prove();
  await fires("TollgateLedgerDifference");
  await fires("TollgateParkedEvents");
  await fires("TollgateOrderPaidNotCredited", ({ labels }) => labels.reason === "unknown_purchase");
  await fires("TollgateErrorRate");
  await fires("TollgateProviderDown", ({ labels }) => labels.model_id === "broken-1");

  await instance.tamper("update organization_quota set balance = balance - 7, total_adjusted = total_adjusted - 7");
  await instance.tamper(`set tollgate.administrator = 'on'; delete from parked_events where id = '${PARKED}'`);
  await instance.prove();
  await ends("TollgateLedgerDifference");
  await ends("TollgateParkedEvents");
  report.figures.alerts_fired = provoked.length;
}
