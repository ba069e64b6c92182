import { Link } from "@tanstack/react-router";
import { classes } from "./classes.ts";

interface KeyLinkProps {
  readonly id: string;
  readonly name: string;
  /** Sets the maximum width. Longer names are truncated and shown in full on hover. */
  readonly className?: string;
}

/** Name of a key in a table, linked to its page. */
export function KeyLink({ id, name, className = "max-w-56" }: KeyLinkProps) {
  return (
    <Link
      to="/keys/$keyId"
      params={{ keyId: id }}
      title={name}
      className={classes("block truncate font-medium hover:underline", className)}
    >
      {name}
    </Link>
  );
}
