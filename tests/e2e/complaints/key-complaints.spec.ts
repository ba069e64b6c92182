import { expect, type Page } from "@playwright/test";
import { test } from "../stage/console-test.ts";

// Complaints about creating and changing records.

test("C5 the key form names the allowed models: all team models, selected models, or none", async ({ admin }) => {
  await admin.open("/keys?create=1");
  for (const name of [/^All team models/, /^Selected models/, /^None/]) {
    await expect(admin.page.getByRole("radio", { name })).toBeVisible();
  }
});

test("C8 every field of a new key can be changed on an existing key", async ({ admin, filled }) => {
  await admin.open("/keys?create=1");
  const whenNew = await labelsOf(admin.page);
  await admin.open(`/keys/${filled.keyId}?tab=settings`);
  const whenMade = await labelsOf(admin.page);
  expect(whenNew.length, whenNew.join(", ")).toBeGreaterThanOrEqual(4);
  expect(whenMade).toEqual(expect.arrayContaining([...whenNew]));
});

test("C9 a deployment from a file names the file, cannot be edited, and can be copied to the database", async ({
  admin,
}) => {
  await admin.open("/admin/deployments");
  await admin.page
    .getByText(/tollgate\.yaml:\d+/)
    .first()
    .click();
  await expect(admin.page.getByRole("button", { name: "Copy to database" }).first()).toBeVisible();
});

test("C11 pickers show names, never only an ID", async ({ admin }) => {
  await admin.open("/keys?create=1");
  await admin.page.getByRole("combobox", { name: "Team" }).click();
  const options = admin.page.getByRole("option");
  await expect(options.first()).toBeVisible();
  const texts = await options.allTextContents();
  expect(texts.filter((text) => /^(team|key|org)_\w+$/.test(text.trim()))).toEqual([]);
});

test("C12 a new key appears in the list without a page reload", async ({ admin }) => {
  await admin.open("/keys");
  const loads: string[] = [];
  admin.page.on("load", () => loads.push("load"));
  await makeKey(admin.page, "Seen at once");
  await expect(admin.page.getByRole("table", { name: "API keys" }).getByText("Seen at once")).toBeVisible();
  expect(loads, "the page is not loaded again").toEqual([]);
});

test("C13 a team is preselected, so that a new key needs only a name", async ({ admin }) => {
  await admin.open("/keys?create=1");
  await expect(admin.page.getByRole("combobox", { name: "Team" })).toHaveText(/\S/);
});

/** Creates a key on the open list page. Fills in only the name. */
async function makeKey(page: Page, name: string): Promise<void> {
  await page.keyboard.press("c");
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.locator("button[type=submit]", { hasText: "Create key" }).click();
  const dialog = page.getByRole("dialog", { name: `Key ${name} is ready` });
  await dialog.getByRole("checkbox", { name: "I have stored the secret" }).check();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();
}

/** Returns the labels of the form on the page, after expanding all sections. */
async function labelsOf(page: Page): Promise<readonly string[]> {
  const form = page.locator("form").filter({ has: page.getByRole("radio", { name: /^None/ }) });
  for (const folded of await form.locator("button[aria-expanded=false]:not([role=combobox])").all())
    await folded.click();
  const labels = await form.locator("label").allTextContents();
  return labels.map((label) => label.replace(/\d.*/, "").trim()).filter((label) => label !== "");
}
