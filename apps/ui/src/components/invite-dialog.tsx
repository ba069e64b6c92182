import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { client } from "../api/client.ts";
import { plural } from "../format/plural.ts";
import { Badge } from "./badge.tsx";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorText } from "./error-text.tsx";
import { Field } from "./field.tsx";
import { TextArea } from "./inputs.tsx";
import { readAddresses } from "./read-addresses.ts";
import { Segmented } from "./segmented.tsx";

type Role = "admin" | "member";

/** `link`: to share manually if this server doesn't send email. */
type Outcome =
  | { readonly kind: "sent"; readonly email: string; readonly status: string; readonly link: string | null }
  | { readonly kind: "failed"; readonly email: string; readonly error: unknown };

interface InviteDialogProps {
  /** The team that users are invited to, or only the organization if `teamId` is null. */
  readonly target: { readonly organizationId: string; readonly teamId: string | null; readonly name: string };
  readonly onClose: () => void;
}

const MAX_AT_ONCE = 50;

/** Invites any number of users and reports the result for each user. */
export function InviteDialog({ target, onClose }: InviteDialogProps) {
  const queries = useQueryClient();
  const [text, setText] = useState("");
  const [role, setRole] = useState<Role>("member");
  const [outcomes, setOutcomes] = useState<readonly Outcome[] | null>(null);
  const [isBusy, setBusy] = useState(false);
  const addresses = readAddresses(text);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const results: Outcome[] = [];
    // Send invitations one after another, because each invitation sends an email and emails are rate limited.
    for (const email of addresses) results.push(await invite(target, email, role));
    setOutcomes(results);
    setBusy(false);
    await queries.invalidateQueries({
      predicate: ({ queryKey }) =>
        /^(getTeam|listOrganizationInvitations|listOrganizationMembers|getOnboarding)$/.test(String(queryKey[0])),
    });
  };
  return (
    <Dialog title={`Invite to ${target.name}`} open onClose={onClose}>
      {outcomes === null ? (
        <form onSubmit={(event) => void submit(event)} className="grid gap-4">
          <Field
            label="Email addresses"
            hint={`Paste up to ${MAX_AT_ONCE} addresses, separated by commas, spaces, or line breaks.`}
          >
            <TextArea
              value={text}
              onChange={(event) => setText(event.target.value)}
              placeholder="ada@example.com, grace@example.com"
              autoFocus
              required
            />
          </Field>
          <div className="grid justify-items-start gap-1.5">
            <span aria-hidden className="text-table font-medium">
              Role
            </span>
            <Segmented
              label="Role"
              value={role}
              onValue={setRole}
              options={[
                { value: "member", label: "Member" },
                { value: "admin", label: "Admin" },
              ]}
            />
          </div>
          <Button
            type="submit"
            variant="primary"
            busy={isBusy}
            disabledReason={
              addresses.length === 0
                ? "No email address found"
                : addresses.length > MAX_AT_ONCE
                  ? `Invite at most ${MAX_AT_ONCE} addresses at a time`
                  : null
            }
          >
            {addresses.length === 0 ? "Invite" : `Send ${plural(addresses.length, "invitation")}`}
          </Button>
        </form>
      ) : (
        <div className="grid gap-3">
          <ul aria-live="polite" className="grid gap-2">
            {outcomes.map((outcome) => (
              <li key={outcome.email} className="grid gap-1 border-b border-hairline pb-2 text-table">
                <span className="flex items-center gap-2">
                  <span className="min-w-0 flex-1 truncate font-medium">{outcome.email}</span>
                  {outcome.kind === "sent" ? (
                    <Badge tone="success">{outcome.status}</Badge>
                  ) : (
                    <Badge tone="danger">not invited</Badge>
                  )}
                </span>
                {outcome.kind === "failed" && (
                  <span className="text-meta wrap-anywhere">
                    <ErrorText error={outcome.error} />
                  </span>
                )}
                {outcome.kind === "sent" && outcome.link !== null && (
                  <span className="flex items-center gap-2">
                    <code className="min-w-0 flex-1 truncate font-mono text-meta">{outcome.link}</code>
                    <CopyButton text={outcome.link} label="Copy link" />
                  </span>
                )}
              </li>
            ))}
          </ul>
          {outcomes.some((outcome) => outcome.kind === "sent" && outcome.link !== null) && (
            <p className="text-meta text-muted">
              This server doesn't send email, so share each link with its recipient. The links are shown only once.
            </p>
          )}
          <Button onClick={onClose}>Done</Button>
        </div>
      )}
    </Dialog>
  );
}

async function invite(target: InviteDialogProps["target"], email: string, role: Role): Promise<Outcome> {
  try {
    const { teamId, organizationId } = target;
    const answer: { readonly status: string; readonly inviteUrl?: string | null } =
      teamId === null
        ? await client.call("inviteOrganizationMember", { params: { id: organizationId }, body: { email, role } })
        : await client.call("inviteTeamMember", { body: { teamId, email, role } });
    return { kind: "sent", email, status: answer.status, link: answer.inviteUrl ?? null };
  } catch (error) {
    return { kind: "failed", email, error };
  }
}
