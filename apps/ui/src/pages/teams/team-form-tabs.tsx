import { type FormEvent, type ReactNode, useState } from "react";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { Panel } from "../../components/panel.tsx";
import { bodyOf, draftOf, problemOf, type Team, type TeamDraft } from "./team-draft.ts";
import { LimitFields, ModelFields, NameField } from "./team-fields.tsx";

interface TabProps {
  readonly team: Team;
  readonly manages: boolean;
}

/** The team's allowed models, with the same fields as in the create form. */
export function ModelsTab({ team, manages }: TabProps) {
  return (
    <TeamForm team={team} manages={manages} title="Models" parts={["models"]}>
      {(draft, change) => <ModelFields draft={draft} onChange={change} />}
    </TeamForm>
  );
}

/** The team's spending cap and rate limits. */
export function LimitsTab({ team, manages }: TabProps) {
  return (
    <TeamForm team={team} manages={manages} title="Limits" parts={["budget", "rateLimit"]}>
      {(draft, change) => <LimitFields draft={draft} onChange={change} />}
    </TeamForm>
  );
}

/** The team's name. */
export function NamePanel({ team, manages }: TabProps) {
  return (
    <TeamForm team={team} manages={manages} title="Name" parts={["name"]}>
      {(draft, change) => <NameField draft={draft} onChange={change} />}
    </TeamForm>
  );
}

interface TeamFormProps extends TabProps {
  readonly title: string;
  /** Fields that this form saves. Other fields are unchanged. */
  readonly parts: readonly (keyof ReturnType<typeof bodyOf>)[];
  readonly children: (draft: TeamDraft, change: (part: Partial<TeamDraft>) => void) => ReactNode;
}

function TeamForm({ team, manages, title, parts, children }: TeamFormProps) {
  const [draft, setDraft] = useState(() => draftOf(team));
  const update = useChange("updateTeam", {
    invalidates: ["getTeam", "listTeams"],
    done: ({ team: { name } }) => `Team ${name} updated`,
  });
  const problem = problemOf(draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem !== null) return;
    const whole = bodyOf(draft);
    const body = Object.fromEntries(parts.map((part) => [part, whole[part]]));
    update.mutate({ params: { id: team.id }, body });
  };
  return (
    <Panel title={title} className="max-w-2xl">
      <form onSubmit={submit} className="grid gap-4">
        {children(draft, (part) => setDraft((before) => ({ ...before, ...part })))}
        <Button
          type="submit"
          variant="primary"
          className="justify-self-start"
          busy={update.isPending}
          disabledReason={manages ? problem : "Only team and organization admins can change this"}
        >
          Save
        </Button>
      </form>
    </Panel>
  );
}
