import type { IncomingMessage } from "node:http";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { chooseBaseUrl } from "../choose-base-url.ts";
import { VERSION } from "../version.ts";
import type { ConsoleFacts } from "./console-config.ts";
import type { PageAnswer } from "./page-answer.ts";
import { type Html, html, plainPage } from "./plain-page.ts";

/** Shows a browser what this server has, with links. It names nothing that the other public pages don't. */
export function showFrontPage(
  request: IncomingMessage,
  settings: PlatformSettings,
  { isDisabled, hasPublicHub, isSetupOpen }: ConsoleFacts & { readonly isSetupOpen: boolean },
): PageAnswer {
  const { rootPath } = settings;
  const hubNote = hasPublicHub ? "models, prices, and limits" : "models, prices, and limits (requires sign-in)";
  const links = [
    ...(isDisabled
      ? []
      : [
          ...(isSetupOpen ? [link(`${rootPath}/ui/setup`, "Set up this server", "it has no accounts yet")] : []),
          link(`${rootPath}/ui/`, "Console", "keys, logs, usage, and credits"),
          link(`${rootPath}/ui/model_hub_table`, "Model hub", hubNote),
        ]),
    link(`${rootPath}/docs`, "Documentation", "guides and examples"),
    link(`${rootPath}/docs/api`, "API reference", "all operations"),
    link(`${rootPath}/api/ready`, "Status", "whether the server is ready, as JSON"),
  ];
  const list: Html = { html: links.map((one) => one.html).join("\n") };
  return plainPage(
    200,
    "Server",
    html`<h1>Tollgate ${VERSION}</h1>
<p>This server is an OpenAI-compatible inference gateway. The base URL of its API is <code>${chooseBaseUrl(settings, request.headers.host)}/v1</code>.</p>
<ul>
${list}
</ul>`,
    { vary: "accept" },
  );
}

function link(url: string, name: string, note: string): Html {
  return html`<li><a href="${url}">${name}</a>: ${note}</li>`;
}
