import type { UseQueryResult } from "@tanstack/react-query";
import type { Operations } from "@tollgate/sdk/platform";
import { Check, ChevronDown, ChevronUp, X } from "lucide-react";
import { useState } from "react";
import { useMe } from "../../api/me.ts";
import { useChange } from "../../api/queries.ts";
import { Button, ButtonLink, IconButton } from "../../components/button.tsx";
import { Panel } from "../../components/panel.tsx";

type Answer = Operations["getOnboarding"]["answer"];
type Step = Answer["onboarding"]["steps"][number];

const steps: Readonly<
  Record<
    Step["id"],
    {
      readonly label: string;
      readonly act: string;
      readonly to: string;
      readonly search?: Record<string, string>;
      /** True if every member can complete this step. */
      readonly isForAll?: true;
    }
  >
> = {
  create_key: { label: "Create a key", act: "Create", to: "/keys", search: { create: "1" }, isForAll: true },
  send_request: { label: "Send a request", act: "Try", to: "/playground", isForAll: true },
  add_credits: { label: "Add credits", act: "Add", to: "/credits" },
  invite_teammate: { label: "Invite a teammate", act: "Invite", to: "/members" },
  set_alert: { label: "Set a low-balance alert", act: "Set alert", to: "/credits" },
};

/** Setup steps, checked off based on the actual state. Hidden when complete or dismissed. */
export function Checklist({ query }: { readonly query: UseQueryResult<Answer, Error> }) {
  const { organization, leads } = useMe();
  const [isFolded, setFolded] = useState(false);
  const update = useChange("updateOnboarding", { invalidates: ["getOnboarding"] });
  const onboarding = query.data?.onboarding;
  if (onboarding === undefined || onboarding.dismissed) return null;
  const finished = onboarding.steps.filter(({ done, skipped }) => done || skipped).length;
  if (finished === onboarding.steps.length) return null;
  return (
    <Panel
      className="shrink-0 lg:w-[372px]"
      title={`Set up ${organization?.name ?? ""}`}
      note={`${finished} of ${onboarding.steps.length} done`}
      flush
      actions={
        <>
          <IconButton
            label={isFolded ? "Show steps" : "Hide steps"}
            icon={isFolded ? <ChevronDown size={16} /> : <ChevronUp size={16} />}
            onClick={() => setFolded(!isFolded)}
          />
          {leads && (
            <IconButton
              label="Dismiss checklist"
              icon={<X size={16} strokeWidth={1.5} />}
              onClick={() => update.mutate({ body: { dismissed: true } })}
            />
          )}
        </>
      }
    >
      {!isFolded && (
        <ul className="px-4 py-2">
          {onboarding.steps.map((step) => (
            <li key={step.id} className="flex min-h-9 items-center gap-2.5 text-table">
              <Mark isDone={step.done || step.skipped} />
              <span className={step.done ? "text-muted" : step.skipped ? "text-muted line-through" : "font-medium"}>
                {steps[step.id].label}
              </span>
              <span className="ml-auto flex items-center gap-1 text-meta text-muted">
                {step.done && step.detail}
                {!step.done && !step.skipped && (
                  <>
                    {leads && (
                      <Button size="sm" variant="ghost" onClick={() => update.mutate({ body: { skip: step.id } })}>
                        Skip
                      </Button>
                    )}
                    {leads || steps[step.id].isForAll === true ? (
                      <ButtonLink size="sm" to={steps[step.id].to} search={steps[step.id].search ?? {}}>
                        {steps[step.id].act}
                      </ButtonLink>
                    ) : (
                      "Requires owner or admin"
                    )}
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Mark({ isDone }: { readonly isDone: boolean }) {
  return isDone ? (
    <span className="grid size-4 shrink-0 place-items-center rounded-full bg-success-soft text-success">
      <Check size={12} aria-label="done" />
    </span>
  ) : (
    <span role="img" aria-label="to do" className="size-4 shrink-0 rounded-full border-[1.5px] border-outline" />
  );
}
