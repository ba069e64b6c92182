import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openConsoleAs } from "../stage/open-console.ts";
import { type Complaint, expect } from "./complaint.ts";

const PAYWALLS =
  /upgrade your plan|enterprise (?:only|feature|plan|licen[cs]e)|premium feature|contact sales|start free trial/i;

/** Complaints about signing in and about access. */
export const accessComplaints: readonly Complaint[] = [
  {
    id: "C10",
    promise: "signing in returns users to the page they requested, and never to another site",
    run: async ({ browser, instance }) => {
      const opened = await openConsoleAs(browser, instance, instance.admin);
      await opened.context.clearCookies();
      await opened.open("/logs?status=error");
      const { page } = opened;
      expect(new URL(page.url()).pathname.endsWith("/ui/login"), `at ${page.url()}`);
      await page.getByLabel("Email", { exact: true }).fill(instance.admin.email);
      await page.getByLabel("Password", { exact: true }).fill(instance.admin.password);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.waitForURL(/\/ui\/logs\?status=error$/);
      await opened.close();
    },
  },
  {
    id: "C14",
    promise: "no console feature requires a payment",
    run: async ({ consoleFolder }) => {
      const assets = join(consoleFolder, "assets");
      for (const name of readdirSync(assets).filter((file) => file.endsWith(".js"))) {
        const found = PAYWALLS.exec(readFileSync(join(assets, name), "utf8"));
        expect(found === null, `${name} says ${found?.[0]}`);
      }
    },
  },
  {
    id: "C18",
    promise: "if a console file fails to load, the page shows a message instead of staying blank",
    run: async ({ browser, instance }) => {
      const opened = await openConsoleAs(browser, instance, instance.admin);
      await opened.page.route(/\/assets\/usage-page-/, (route) => route.fulfill({ status: 404, body: "" }));
      await opened.page.goto(`${instance.uiUrl}/usage`);
      await opened.page.getByRole("button", { name: "Reload" }).waitFor();
      await opened.close();
    },
  },
  {
    id: "C19",
    promise: "no token or secret is stored where a script can read it",
    run: async ({ opened }) => {
      await opened.open("/keys");
      const stored = (await opened.page.evaluate(
        "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
      )) as string;
      expect(!/sk-|token|eyJ|session/i.test(stored), `stored: ${stored}`);
      const cookies = await opened.context.cookies();
      const open = cookies.filter(({ httpOnly, sameSite }) => !httpOnly || sameSite === "None");
      expect(cookies.length > 0 && open.length === 0, `readable cookies: ${open.map(({ name }) => name).join(", ")}`);
    },
  },
];
