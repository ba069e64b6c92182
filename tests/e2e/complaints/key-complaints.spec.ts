import type { Page } from "playwright-core";
import { textOf } from "../stage/open-console.ts";
import { type Complaint, expect } from "./complaint.ts";

/** Complaints about creating and changing records. */
export const keyComplaints: readonly Complaint[] = [
  {
    id: "C5",
    promise: "the key form names the allowed models: all team models, selected models, or none",
    run: async ({ opened }) => {
      await opened.open("/keys?create=1");
      for (const name of [/^All team models/, /^Selected models/, /^None/]) {
        await opened.page.getByRole("radio", { name }).waitFor();
      }
    },
  },
  {
    id: "C8",
    promise: "every field of a new key can be changed on an existing key",
    run: async ({ opened, filled }) => {
      await opened.open("/keys?create=1");
      const whenNew = await labelsOf(opened.page);
      await opened.open(`/keys/${filled.keyId}?tab=settings`);
      const whenMade = await labelsOf(opened.page);
      const missing = whenNew.filter((label) => !whenMade.includes(label));
      expect(whenNew.length >= 4, `only ${whenNew.join(", ")}`);
      expect(missing.length === 0, `cannot be changed: ${missing.join(", ")}`);
    },
  },
  {
    id: "C9",
    promise: "a deployment from a file names the file, cannot be edited, and can be copied to the database",
    run: async ({ opened }) => {
      await opened.open("/admin/deployments");
      await opened.page
        .getByText(/tollgate\.yaml:\d+/)
        .first()
        .click();
      await opened.page.getByRole("button", { name: "Copy to database" }).first().waitFor();
    },
  },
  {
    id: "C11",
    promise: "pickers show names, never only an ID",
    run: async ({ opened }) => {
      await opened.open("/keys?create=1");
      await opened.page.getByRole("combobox", { name: "Team" }).click();
      const options = await opened.page.getByRole("option").allTextContents();
      expect(options.length > 0, "the picker has nothing to pick");
      const bare = options.filter((text) => /^(team|key|org)_\w+$/.test(text.trim()));
      expect(bare.length === 0, `ids alone: ${bare.join(", ")}`);
    },
  },
  {
    id: "C12",
    promise: "a new key appears in the list without a page reload",
    run: async ({ opened }) => {
      await opened.open("/keys");
      const loads: string[] = [];
      opened.page.on("load", () => loads.push("load"));
      await makeKey(opened.page, "Seen at once");
      await opened.page.getByRole("table", { name: "API keys" }).getByText("Seen at once").waitFor();
      expect(loads.length === 0, "the page was loaded again");
    },
  },
  {
    id: "C13",
    promise: "a team is preselected, so that a new key needs only a name",
    run: async ({ opened }) => {
      await opened.open("/keys?create=1");
      const team = await textOf(opened.page.getByRole("combobox", { name: "Team" }));
      expect(team.trim() !== "", "no team is chosen");
    },
  },
];

/** Creates a key on the open list page. Fills in only the name. */
async function makeKey(page: Page, name: string): Promise<void> {
  await page.keyboard.press("c");
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.locator("button[type=submit]", { hasText: "Create key" }).click();
  const dialog = page.getByRole("dialog", { name: `Key ${name} is ready` });
  await dialog.getByRole("checkbox", { name: "I have stored the secret" }).check();
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });
}

/** Returns the labels of the form on the page, after expanding all sections. */
async function labelsOf(page: Page): Promise<readonly string[]> {
  const form = page.locator("form").filter({ has: page.getByRole("radio", { name: /^None/ }) });
  for (const folded of await form.locator("button[aria-expanded=false]:not([role=combobox])").all())
    await folded.click();
  const labels = await form.locator("label").allTextContents();
  return labels.map((label) => label.replace(/\d.*/, "").trim()).filter((label) => label !== "");
}
