"""Forms of working life: job application, expense claim, leave request, registration for a course."""

from __future__ import annotations

import datetime as dt

from synth.content.models.form_draft import Draft

DAY = dt.timedelta(days=1)


def _career(d: Draft, entries: int) -> tuple[list[dict[str, str]], dt.date]:
    """Posts held, the latest first, none overlapping; and the day the first began."""
    kit, rows, until = d.kit, [], d.kit.today - DAY * d.rng.randint(5, 60)
    reasons = d.lists["reasons"]
    # From 19 on; the span is shared out so that nobody worked as a child.
    room = max(500, (until - d.applicant.born).days - 21 * 365)
    for i in range(entries):
        begun = until - DAY * d.rng.randint(min(300, room // entries // 2), max(310, min(1500, room // entries - 40)))
        style = {"zh": "yyyy.MM", "en": "MM/yyyy", "bn": "MM/yyyy"}[kit.language]
        rows.append(
            {
                "employer": kit.company(kit.city()),
                "job_title": d.pick("jobs"),
                "from": kit.date(begun, style),
                "to": kit.date(until, style),
                "salary": kit.money(d.money(1800 - 200 * i, 3600 - 500 * i, 50)),
                "reason_left": reasons[-1] if i == 0 else d.rng.choice(reasons[:-1]),
            }
        )
        until = begun - DAY * d.rng.randint(10, 40)
    return rows, until


def job(d: Draft) -> None:
    kit, me = d.kit, d.applicant
    d.section(
        "position",
        "vacancy:2 department:2 expected_salary:2 available_from:2 job_type*:4",
        vacancy=d.pick("jobs"),
        department=d.pick("departments"),
        expected_salary=kit.money(d.money(2200, 5200, 50)),
        available_from=d.date(kit.today + DAY * d.rng.randint(7, 90)),
        job_type=d.choose("job_type"),
    )
    d.section(
        "applicant",
        "full_name:2 birth_date:2 gender*:2 marital_status*:4 nationality:2 id_number:2 mobile:2 email:2 "
        "present_address:4",
        full_name=me.name,
        birth_date=d.date(me.born),
        gender=d.gender(me),
        marital_status=d.rng.choice(d.choices("marital_status")[:2]),
        nationality=d.lists["nationality"][kit.country],
        id_number=d.id_number(me),
        mobile=kit.mobile(),
        email=kit.email(me.name),
        present_address=kit.address().text,
    )
    count = d.rng.randint(1, 3) if d.age(me) > 30 else 1
    posts, _ = _career(d, count)
    # The later of two, which stands first, is the higher one.
    studied = d.age(me) >= 23 and kit.chance(0.85)
    stages = (
        (("schools", "degrees", 22), ("lower_schools", "lower_degrees", 18))
        if studied
        else (("lower_schools", "lower_degrees", 18),)
    )
    schooling = [
        {
            "institution": d.pick(place),
            "degree": d.pick(degree),
            "year": kit.digits(str(me.born.year + age)),
            "result": d.pick("results"),
        }
        for place, degree, age in stages
    ]
    d.table("education", "institution:4 degree:3 year:1 result:2", schooling)
    d.table("employment", "employer:4 job_title:3 from:2 to:2 salary!:2 reason_left:2", posts)
    d.section("skills", "languages:2 software:2", languages=d.pick("languages"), software=d.pick("software"))
    d.section(
        "referee",
        "full_name:2 job_title:2 phone:2",
        full_name=kit.person(),
        job_title=d.pick("jobs"),
        phone=kit.phone(),
    )


def _employee(d: Draft, **more: str) -> dict[str, str]:
    return {
        "full_name": d.applicant.name,
        "employee_id": d.kit.code(d.rng.choice(("E####", "%####", "@@###"))),
        "department": d.pick("departments"),
        "job_title": d.pick("jobs"),
        **more,
    }


def expense(d: Draft) -> None:
    kit = d.kit
    last = kit.today - DAY * d.rng.randint(2, 12)
    first = last - DAY * d.rng.randint(2, 9)
    d.section("employee", "full_name:2 employee_id:2 department:2 job_title:2", **_employee(d))
    d.section(
        "trip",
        "purpose:2 place:2 period_from:2 period_to:2",
        purpose=d.pick("trips"),
        place=kit.city().name,
        period_from=d.date(first),
        period_to=d.date(last),
    )
    rows, total = [], 0
    days = sorted(d.rng.randint(0, (last - first).days) for _ in range(d.rng.randint(4, 9)))
    for day, line in zip(days, d.sample("expenses", len(days)), strict=True):
        what, category, prices = line.split(" | ")
        low, high = (int(p) for p in prices.split("-"))
        cents = d.rng.randint(low * 100, high * 100) if kit.country in ("US", "GB") else d.rng.randint(low, high) * 100
        total += cents
        rows.append(
            {"date": d.date(first + DAY * day), "description": what, "category": category, "amount": kit.amount(cents)}
        )
    d.table("expenses", "date:2 description:4 category:2 amount!:2", rows)
    advance = 0 if kit.chance(0.4) else int(total * d.rng.uniform(0.2, 0.6)) // 5000 * 5000
    account = kit.bank_account()
    summary = {"total": kit.money(total)}
    if advance:
        summary |= {"advance": kit.money(advance), "balance": kit.money(total - advance)}
    d.section(
        "summary",
        "total:2 advance:2 balance:2 amount_in_words:4",
        **summary,
        amount_in_words=kit.upper_amount(total - advance),
    )
    d.section(
        "payment",
        "method*:4 bank:2 account_number:2",
        method=d.choices("method")[0],
        bank=account.bank,
        account_number=account.number,
    )
    d.section(
        "approval",
        "approved_by:2 approved_on:2",
        approved_by=kit.person(),
        approved_on=d.date(kit.today + DAY * d.rng.randint(1, 6)),
    )


def leave(d: Draft) -> None:
    kit = d.kit
    first = kit.today + DAY * d.rng.randint(6, 40)
    days = d.rng.randint(2, 12)
    last = first + DAY * (days - 1)
    d.section(
        "employee",
        "full_name:2 employee_id:2 department:2 job_title:2 manager:2 mobile#:2",
        **_employee(d, manager=kit.person(), mobile=kit.mobile()),
    )
    d.section(
        "leave",
        "leave_type*:4 first_day:2 last_day:2 days:2 return_date:2 purpose:4 substitute:2 balance_days:2",
        leave_type=d.choose("leave_type"),
        first_day=d.date(first),
        last_day=d.date(last),
        days=kit.number(days),
        return_date=d.date(last + DAY),
        purpose=d.pick("leave_reasons"),
        substitute=kit.person(),
        balance_days=kit.number(d.rng.randint(0, 18)),
    )
    d.section(
        "approval",
        "decision*:4 approved_by:2 approved_on:2",
        decision=d.choices("decision")[0],
        approved_by=d.values["employee"]["manager"],
        approved_on=d.date(kit.today + DAY * d.rng.randint(1, 4)),
    )


def survey(d: Draft) -> None:
    kit, me = d.kit, d.applicant
    d.section(
        "participant",
        "full_name:2 employer_name:2 job_title:2 mobile:2 email:4",
        full_name=me.name,
        employer_name=kit.company(),
        job_title=d.pick("jobs"),
        mobile=kit.mobile(),
        email=kit.email(me.name),
    )
    d.section(
        "event",
        "event_name:2 event_date:2 venue:4 session_choice*:4 ticket*:4 meal*:4 heard+:4",
        event_name=d.pick("events"),
        event_date=d.date(kit.today - DAY * d.rng.randint(0, 2)),
        venue=d.pick("venues"),
        session_choice=d.choose("session_choice"),
        ticket=d.choose("ticket"),
        meal=d.choose("meal"),
        heard=d.several("heard", 2),
    )
    rows = [
        {"statement": s, "score": kit.number(d.rng.choice((5, 5, 4, 4, 4, 3, 2)))}
        for s in d.sample("statements", d.rng.randint(4, 6))
    ]
    d.table("feedback", "statement:4 score:2", rows)
    d.section("review", "overall*:4 comment:4", overall=d.choose("overall"), comment=d.pick("comments"))
