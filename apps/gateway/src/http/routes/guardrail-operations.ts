import {
  AppliedGuardrail,
  ApplyGuardrailRequest,
  GuardrailList,
} from "@tollgate/contracts/administration/guardrails.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { informationFailures } from "@tollgate/contracts/information-failures.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { utilityFailures } from "./utility-failures.ts";

const rules = {
  tag: "management",
  auth: "key",
  routeGroup: "information",
  billing: "free",
  timeoutMs: 15_000,
} as const;

/** Lists the guardrails that a request can select by name. */
export const listGuardrails: KeyedOperation = {
  ...rules,
  id: "listGuardrails",
  summary: "List guardrails",
  method: "GET",
  paths: ["/guardrails/list"],
  bodyLimitBytes: 0,
  answers: {
    200: { description: "Every guardrail and when it runs.", schema: GuardrailList },
    ...informationFailures,
  },

  handle(_, { current }) {
    const guardrails = current().settings.guardrails.map(({ name, kind, modes, defaultOn }) => ({
      guardrail_name: name,
      litellm_params: { guardrail: kind, mode: modes, default_on: defaultOn },
    }));
    return answerJson({ guardrails });
  },
};

/** Runs a guardrail on text outside of any call. */
export const applyGuardrail: KeyedOperation<unknown, ApplyGuardrailRequest> = {
  ...rules,
  id: "applyGuardrail",
  summary: "Test a guardrail on a text",
  method: "POST",
  paths: ["/guardrails/apply_guardrail"],
  bodyLimitBytes: 1024 * 1024,
  body: ApplyGuardrailRequest,
  answers: {
    200: { description: "The text, with matches masked if the guardrail masks them.", schema: AppliedGuardrail },
    ...utilityFailures,
  },

  async handle({ body }, { guardrails }) {
    const guard = guardrails()?.find(body.guardrail_name) ?? null;
    if (guard === null) {
      throw new Failure("invalid_request", `Guardrail '${body.guardrail_name}' not found.`, {
        param: "guardrail_name",
        fix: "List guardrails with GET /guardrails/list.",
      });
    }
    if (guard.settings.kind === "moderation") {
      throw new Failure(
        "invalid_request",
        "Moderation guardrails are billed, so they cannot be tested with this operation.",
        {
          param: "guardrail_name",
          fix: "Send the text to /v1/moderations.",
        },
      );
    }
    const [text] = await guard.look([body.text], { call: null, mode: "pre_call", side: "request" });
    return answerJson({ response_text: text });
  },
};
