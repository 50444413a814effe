"""Everything out of a campaign: as durable JSON, as notes, as tables, as documents for a virtual table."""
