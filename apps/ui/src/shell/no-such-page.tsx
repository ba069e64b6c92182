import { Link } from "@tanstack/react-router";

/** Shown for unknown URLs. */
export function NoSuchPage() {
  return (
    <div className="mx-auto max-w-lg px-6 py-20">
      <h1 className="text-title">Page not found</h1>
      <p className="mt-2 text-muted">The page may have moved, or the URL may be incomplete.</p>
      <Link to="/" className="mt-4 inline-block text-accent hover:underline">
        Go to Home
      </Link>
    </div>
  );
}
