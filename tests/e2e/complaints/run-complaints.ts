import type { Report } from "@tollgate/testkit/report.ts";
import { keepPicture } from "../artifacts.ts";
import { openConsoleAs } from "../stage/open-console.ts";
import { accessComplaints } from "./access-complaints.spec.ts";
import type { Complaint, Scene } from "./complaint.ts";
import { keyComplaints } from "./key-complaints.spec.ts";
import { logComplaints } from "./log-complaints.spec.ts";
import { moneyComplaints } from "./money-complaints.spec.ts";

/**
 * All complaints that can be checked in a browser. The server's tests cover C15: a sign-in link from the terminal works
 * once.
 */
const complaints: readonly Complaint[] = [...moneyComplaints, ...keyComplaints, ...logComplaints, ...accessComplaints];

/**
 * Checks whether each complaint from the survey applies to this console. docs/admin/complaints.md lists the complaints.
 */
export async function runComplaints(scene: Omit<Scene, "opened">, report: Report): Promise<void> {
  const opened = await openConsoleAs(scene.browser, scene.instance, scene.instance.admin);
  for (const { id, promise, run } of complaints) {
    const isKept = await report.check("complaints", `${id} ${promise}`, () => run({ ...scene, opened }));
    if (!isKept) await keepPicture(opened.page, `failed-${id}`);
  }
  await opened.close();
}
