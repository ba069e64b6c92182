import type { Page, PageQuery, Run, Step, StepFields } from "@tollgate/domain/assistants/records.ts";
import { sql } from "kysely";
import { type Access, isOwned } from "./access.ts";
import { listPage } from "./list-page.ts";
import { type StepRow, toStep } from "./open-rows.ts";
import { sealRecord } from "./sealed-record.ts";

/** Lists one page of a run's steps. */
export async function listSteps(access: Access, run: Run, query: PageQuery): Promise<Page<Step> | "unknown_cursor"> {
  const condition = sql`run_id = ${run.id} and ${isOwned(access)}`;
  const page = await listPage<StepRow>(access.transaction, "run_steps", condition, query);
  if (page === "unknown_cursor") return page;
  return { ...page, items: page.items.map((row) => toStep(access.sealer, row, run.assistantId)) };
}

/** Returns the step, or null if the run has no such step. */
export async function findStep(access: Access, run: Run, id: string): Promise<Step | null> {
  const row = await access.transaction
    .selectFrom("run_steps")
    .selectAll()
    .where("id", "=", id)
    .where("run_id", "=", run.id)
    .where(isOwned(access))
    .executeTakeFirst();
  return row === undefined ? null : toStep(access.sealer, row, run.assistantId);
}

/** Reads all steps of a run, in creation order. */
export async function readSteps({ transaction, sealer }: Access, run: Run): Promise<readonly Step[]> {
  const rows = await transaction
    .selectFrom("run_steps")
    .selectAll()
    .where("run_id", "=", run.id)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => toStep(sealer, row, run.assistantId));
}

/** Overwrites the stored fields of a step. It counts against the same key as before, unless another one is given. */
export async function rewriteStep(
  { transaction, sealer }: Access,
  { id, fields }: { readonly id: string; readonly fields: StepFields },
  columns: { readonly key_id?: string } = {},
): Promise<void> {
  await transaction
    .updateTable("run_steps")
    .set({ record: sealRecord(sealer, id, fields), ...columns })
    .where("id", "=", id)
    .execute();
}
