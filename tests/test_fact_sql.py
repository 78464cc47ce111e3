"""Facts of SQL: columns with type and default, values of types."""

from stated_facts import stated

SCHEMA = """
DROP TYPE IF EXISTS status; CREATE TYPE status AS ENUM ('draft', 'sent, late');
-- mailing lists
CREATE TABLE IF NOT EXISTS public.lists (
    id          SERIAL PRIMARY KEY,
    price       NUMERIC(10, 2) NOT NULL DEFAULT 0, -- in euros, with tax
    "optin"     list_optin NOT NULL DEFAULT 'single',
    note        TEXT DEFAULT 'a, b; c)',
    /* when it was made */
    made_at     TIMESTAMP WITH TIME ZONE DEFAULT NOW(),
    PRIMARY KEY (id, price),
    CONSTRAINT c CHECK (price > 0)
);
create table `b` (x int default (1), key (x)) engine=InnoDB;
SELECT a DEFAULT FROM b;
"""


def test_tables_and_types_of_sql_state_their_columns_and_values() -> None:
    assert stated("schema.sql", SCHEMA) == [
        "constant | status | value=draft, sent, late@2",
        "default | public.lists > id | type=SERIAL@5",
        "default | public.lists > price | type=NUMERIC(10, 2)@6 default=0@6 help=in euros, with tax@6",
        "default | public.lists > optin | type=list_optin@7 default=single@7",
        "default | public.lists > note | type=TEXT@8 default=a, b; c)@8",
        "default | public.lists > made_at | type=TIMESTAMP WITH TIME ZONE@10 default=NOW()@10 help=when it was made@9",
        "default | b > x | type=int@14 default=(1)@14",
    ]


def test_names_in_brackets_and_variables_are_told_without_their_signs() -> None:
    script = """-- which one to reach
SET @TARGET_VERSION = 9;
DECLARE @name NVARCHAR(20) = N'none';
CREATE TABLE [HangFire].[Job](
    [State] [nvarchar](20) NULL
);
SET @TARGET_VERSION = 10;
UPDATE a
SET price = 5
WHERE id = 1;
"""
    assert stated("install.sql", script) == [
        "default | HangFire.Job > State | type=nvarchar(20)@5",
        "constant | TARGET_VERSION | value=9@2 help=which one to reach@1",
        "constant | name | value=none@3 type=NVARCHAR(20)@3",
    ]


def test_a_migration_states_the_columns_that_it_adds() -> None:
    migration = """-- AlterTable
ALTER TABLE "polls" ADD COLUMN "kind" TEXT NOT NULL DEFAULT 'a; b', -- of the poll
ADD COLUMN     "size" INTEGER;
ALTER TABLE polls ALTER COLUMN hidden SET DEFAULT true, ADD CONSTRAINT c CHECK (size > 0), DROP COLUMN old;
UPDATE polls SET size = 5;
"""
    assert stated("migration.sql", migration) == [
        "default | polls > kind | type=TEXT@2 default=a; b@2 help=of the poll@2",
        "default | polls > size | type=INTEGER@3",
        "default | polls > hidden | default=true@4",
    ]
