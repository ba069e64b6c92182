import { Link } from "@tanstack/react-router";
import { classes } from "./classes.ts";

interface KeyLinkProps {
  readonly id: string;
  readonly name: string;
  /** How wide it may get: a longer name is cut there, and shown whole to whoever points at it. */
  readonly className?: string;
}

/** The name of a key in a table, leading to its page. */
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
