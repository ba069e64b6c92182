import { Link } from "@tanstack/react-router";
import type { Operations } from "@tollgate/sdk/platform";
import type { ReactNode } from "react";

type Entry = Operations["listAdminAuditLog"]["answer"]["data"][number];

interface ChangeSentenceProps {
  readonly entry: Entry;
  /** The active organization, whose objects have pages. */
  readonly organizationId: string | null;
}

/** A change as a sentence, in which the changed object is a link if the console has a page for it. */
export function ChangeSentence({ entry, organizationId }: ChangeSentenceProps) {
  const { summary, actor, target } = entry;
  const name = target.name ?? target.id;
  // The actor comes first and can have the same name. A team or a detail can follow.
  const at = summary.indexOf(name, (actor.email ?? actor.name ?? "").length);
  if (at === -1) return summary;
  return (
    <>
      {summary.slice(0, at)}
      <TargetLink entry={entry} organizationId={organizationId}>
        {name}
      </TargetLink>
      {summary.slice(at + name.length)}
    </>
  );
}

function TargetLink({ entry, organizationId, children }: ChangeSentenceProps & { readonly children: ReactNode }) {
  const to = pageOf(entry, organizationId);
  if (to === null) return <span className="font-medium">{children}</span>;
  return (
    <Link to={to.path} search={to.search} className="font-medium hover:underline">
      {children}
    </Link>
  );
}

interface PageLink {
  readonly path: string;
  readonly search: Readonly<Record<string, string>>;
}

/** Returns the page of the changed object, or null if there is none. */
function pageOf({ target: { type, id }, organizationId }: Entry, active: string | null): PageLink | null {
  if (type === "organization") return { path: "/admin/organizations", search: { open: id } };
  if (type === "user") return { path: "/admin/users", search: { open: id } };
  if (type === "model") return { path: "/admin/deployments", search: { search: id } };
  if (organizationId === null || organizationId !== active) return null;
  if (type === "key") return { path: `/keys/${id}`, search: {} };
  if (type === "team") return { path: `/teams/${id}`, search: {} };
  if (type === "log") return { path: `/logs/${id}`, search: {} };
  return type === "purchase" ? { path: "/credits", search: { order: id } } : null;
}
