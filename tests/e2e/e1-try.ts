import { readFileSync } from "node:fs";
import { PlatformClient } from "@tollgate/sdk/platform";
import { openBrowser } from "./stage/open-browser.ts";
import { Report } from "./report.ts";
const i = JSON.parse(readFileSync("/tmp/e1/instanceA.json", "utf8"));
i.signIn = async (person: any) => {
  const { token } = await new PlatformClient({ platformUrl: i.url }).call("createToken", { body: person });
  return new PlatformClient({ platformUrl: i.url, token });
};
const browser = await openBrowser();
const report = new Report((l) => console.log(l));
const { default: run } = await import("./e1-now.ts");
await run(browser, i, report);
await browser.close();
