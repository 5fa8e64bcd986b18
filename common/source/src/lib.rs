//! Source text, spans and diagnostics, and their rendering.
