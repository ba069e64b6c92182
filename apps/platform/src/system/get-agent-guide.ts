import { chooseBaseUrl } from "../choose-base-url.ts";
import { type ManagementOperation, operation, read } from "../operation.ts";
import { writeAgentGuide } from "./write-agent-guide.ts";

/** Returns the guide for coding agents, with the base URL that the request used. */
export const getAgentGuide: ManagementOperation = operation({
  ...read,
  id: "getAgentGuide",
  summary: "Get the guide for coding agents, in Markdown",
  tag: "system",
  path: "/api/agents/skill",
  auth: "none",
  scope: "own",
  answers: {
    200: { description: "The guide", schema: { type: "string" }, contentType: "text/markdown; charset=utf-8" },
  },
  handle: async ({ headers }, { settings }) => {
    const { billing, signUp } = settings();
    const guide = writeAgentGuide({
      origin: chooseBaseUrl(settings(), headers.host),
      simulatesPayments: billing.provider === "fake",
      isSignUpOpen: signUp.mode === "open",
    });
    return { status: 200, raw: { contentType: "text/markdown; charset=utf-8", content: guide } };
  },
});
