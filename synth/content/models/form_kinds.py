"""The kinds of form: which sections and fields each has, filled in so that they agree with one another."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from synth.content.models.form_draft import Draft
from synth.content.models.form_work import expense, job, leave, survey

DAY = dt.timedelta(days=1)


def _household(d: Draft, mobile: bool = True) -> dict[str, str]:
    found = {"present_address": d.kit.address().text, "permanent_address": d.kit.address(d.kit.city()).text}
    if mobile:
        found |= {"mobile": d.kit.mobile(), "email": d.kit.email(d.applicant.name)}
    return found


def bank(d: Draft) -> None:
    kit, me = d.kit, d.applicant
    parents = {} if kit.language == "zh" else {"father_name": d.parent(me, False), "mother_name": d.parent(me, True)}
    account = d.account
    d.section(
        "account",
        "branch:2 initial_deposit:2 account_type*:4 currency*:4 operation*:4 source_of_funds*:4 services+:4",
        branch=account.branch,
        account_type=d.choose("account_type"),
        currency=d.choices(f"currency_{kit.country.lower()}")[0],
        operation=d.choices("operation")[0],
        initial_deposit=kit.money(d.money(50, 2000, 50)),
        source_of_funds=d.choose("source_of_funds"),
        services=d.several("services", 4),
    )
    d.section(
        "applicant",
        "full_name:4 father_name:2 mother_name:2 birth_date#:2 gender*:2 marital_status*:4 nationality:2 occupation:2 "
        "id_number#:4",
        full_name=me.name,
        **parents,
        birth_date=d.date(me.born, numeric=True),
        gender=d.gender(me),
        marital_status=d.rng.choice(d.choices("marital_status")[: 2 if d.age(me) < 40 else 4]),
        nationality=d.lists["nationality"][kit.country],
        occupation=d.occupation(),
        id_number=d.id_number(me),
    )
    d.section("contact", "present_address:4 permanent_address:4 mobile#:2 email:2", **_household(d))
    relation = d.rng.randrange(1, 3)
    old = d.age(me) > 46
    name = d.kin(me.name, relation == 2) if not (old and me.female) else ""
    heir = d.relative(-27 if old else d.rng.choice((-3, 2, 4)), relation == 2, name)
    d.section(
        "nominee",
        "full_name:2 birth_date:2 relation*:4 share:2",
        full_name=heir.name,
        relation=d.choices("relation")[relation if old else relation + 2],
        birth_date=d.date(heir.born),
        share=kit.percent(10000),
    )
    d.section(
        "office",
        "account_number#:2 customer_id:1 officer:1",
        account_number=account.number,
        customer_id=kit.code("%######"),
        officer=kit.person(),
    )


def government(d: Draft) -> None:
    kit, me = d.kit, d.applicant
    d.section(
        "applicant",
        "full_name:4 father_name:2 mother_name:2 birth_date#:2 birth_place:2 gender*:2 nationality:2 "
        "id_number#:4 education_level*:4 occupation:2",
        full_name=me.name,
        father_name=d.parent(me, False),
        mother_name=d.parent(me, True),
        birth_date=d.date(me.born, numeric=True),
        birth_place=kit.city().name,
        gender=d.gender(me),
        nationality=d.lists["nationality"][kit.country],
        id_number=d.id_number(me),
        education_level=d.choose("education_level"),
        occupation=d.occupation(),
    )
    home = _household(d)
    home.pop("email")
    d.section("contact", "present_address:4 permanent_address:4 mobile#:2", **home)
    d.section(
        "request",
        "certificate*:4 purpose:2 copies:1 resident_since:2 delivery*:4 attachments+:4",
        certificate=d.choose("certificate"),
        purpose=d.pick("purposes"),
        copies=kit.number(d.rng.randint(1, 4)),
        resident_since=d.date(max(me.born, kit.today - DAY * d.rng.randint(400, 6000))),
        delivery=d.choose("delivery"),
        attachments=d.several("attachments", 4),
    )
    d.section("payment", "fee:1 receipt_number:2", fee=kit.money(d.money(5, 40, 5)), receipt_number=kit.code("%######"))


def medical(d: Draft) -> None:
    kit, me = d.kit, d.applicant
    tall = d.rng.randint(150, 172) if me.female else d.rng.randint(160, 186)
    unit = {"en": ("cm", "kg"), "zh": ("厘米", "公斤"), "bn": ("সে.মি.", "কেজি")}[kit.language]
    d.section(
        "patient",
        "full_name:2 birth_date:2 age:1 gender*:3 blood_group:1 height:1 weight:1 occupation:2 mobile:2 address:4",
        full_name=me.name,
        birth_date=d.date(me.born),
        age=kit.number(d.age(me)),
        gender=d.gender(me),
        blood_group=d.choose("blood_group"),
        height=f"{kit.number(tall)} {unit[0]}",
        weight=f"{kit.number(round((tall - 100) * d.rng.uniform(0.85, 1.15)))} {unit[1]}",
        occupation=d.occupation(),
        mobile=kit.mobile(),
        address=kit.address().text,
    )
    relation = d.rng.randrange(3, 5)
    d.section(
        "emergency",
        "full_name:2 relation:1 phone:2",
        full_name=d.kin(me.name, relation == 4),
        relation=d.choices("relation")[relation],
        phone=kit.mobile(),
    )
    d.section(
        "insurance", "provider:2 policy_number:2", provider=d.pick("insurers"), policy_number=kit.code("@@-######")
    )
    none = d.choices("conditions")[-1]
    d.section(
        "history",
        "conditions+:4 smoking*:4 exercise*:4 allergies:2",
        conditions=[none] if kit.chance(0.15) else [c for c in d.several("conditions", 4) if c != none] or [none],
        smoking=d.choose("smoking"),
        exercise=d.choose("exercise"),
        allergies=d.pick("allergies"),
    )
    lines = [line.split(" | ") for line in d.sample("medicines", d.rng.randint(1, 3))]
    rows = [{"medicine": name, "dose": dose, "frequency": often} for name, dose, often in lines]
    d.table("medications", "medicine:3 dose:2 frequency:2", rows)
    d.section(
        "visit",
        "complaint:2 since:2 symptoms+:4 doctor:2 visit_date:2",
        complaint=d.pick("complaints"),
        since=d.date(kit.today - DAY * d.rng.randint(3, 120)),
        symptoms=d.several("symptoms", 3),
        doctor=kit.person(),
        visit_date=d.date(kit.today),
    )


def school(d: Draft) -> None:
    kit = d.kit
    grade = d.rng.randrange(6)
    years = (6, 8, 9, 12, 13, 15)[grade]
    female = kit.chance(0.5)
    parent_is_mother = d.applicant.female
    name = kit.person(female) if parent_is_mother else d.kin(d.applicant.name, female)
    child = type(d.applicant)(name, female, kit.today - DAY * (years * 365 + d.rng.randint(20, 340)))
    me, other = d.applicant.name, d.kin(name, False) if parent_is_mother else kit.person(True)
    father, mother = (other, me) if parent_is_mother else (me, other)
    d.section(
        "student",
        "full_name:4 birth_date:2 gender*:2 birth_place:2 nationality:2 blood_group:2 address:4",
        full_name=name,
        birth_date=d.date(child.born),
        gender=d.gender(child),
        birth_place=kit.persona.city.name,
        nationality=d.lists["nationality"][kit.country],
        blood_group=d.choose("blood_group"),
        address=kit.address().text,
    )
    year = kit.today.year
    session = {"en": f"{year}/{year + 1}", "zh": f"{year}-{year + 1}", "bn": kit.digits(str(year + 1))}[kit.language]
    schooling: dict[str, Any] = {
        "session": session,
        "transport": d.choose("transport"),
        "documents": d.several("documents", 4),
        "class": d.lists["classes"][grade],
    }
    if grade:
        others = [i for i in d.prose["kinds"]["school"]["issuers"] if "{surname}" not in i]
        district = d.rng.choice(kit.city().districts or (kit.city().name,))
        schooling |= {
            "previous_school": d.rng.choice(others).format(town=kit.city().name, district=district),
            "last_result": d.pick("school_results"),
        }
    d.section("schooling", "class:2 session:2 previous_school:2 last_result:2 transport*:4 documents+:4", **schooling)
    for group, person in (("father", father), ("mother", mother)):
        job_name = d.occupation() if person == me else d.pick("jobs")
        d.section(
            group,
            "full_name:2 occupation:2 employer:2 mobile:2",
            full_name=person,
            occupation=job_name,
            employer=kit.company(),
            mobile=kit.mobile(),
        )
    d.signer = me


def visa(d: Draft) -> None:
    kit, me = d.kit, d.applicant
    surname, given = d.split_name(me)
    issued = kit.today - DAY * d.rng.randint(200, 2200)
    arrival = kit.today + DAY * d.rng.randint(20, 120)
    stay = d.rng.randint(4, 45)
    d.section(
        "applicant",
        "surname:2 given_name:2 birth_date#:2 birth_place:2 gender*:2 nationality:2 marital_status*:4 "
        "occupation:2 employer:2 present_address:4 mobile:2 email:2",
        surname=surname,
        given_name=given,
        birth_date=d.date(me.born, numeric=True),
        birth_place=kit.city().name,
        gender=d.gender(me),
        nationality=d.lists["nationality"][kit.country],
        marital_status=d.rng.choice(d.choices("marital_status")[:2]),
        occupation=d.occupation(),
        employer=kit.company(),
        present_address=kit.address().text,
        mobile=kit.mobile(),
        email=kit.email(me.name),
    )
    d.section(
        "passport",
        "passport_number#:2 issued_by:2 issued_on:2 expires_on:2",
        passport_number=kit.code(
            {"CN": "E########", "BD": "@0#######", "US": "#########", "GB": "#########"}[kit.country]
        ),
        issued_by=d.rng.choice(d.lists["authorities"][kit.country]),
        issued_on=d.date(issued),
        expires_on=d.date(issued + DAY * 3652),
    )
    reason = d.rng.randrange(4)
    d.section(
        "travel",
        "visa_type*:4 entries*:4 purpose_of_visit*:4 arrival:2 departure:2 stay:2 flight:2 host:2",
        visa_type=d.choices("visa_type")[reason],
        entries=d.choose("entries"),
        purpose_of_visit=d.choices("purpose_of_visit")[reason % 3],
        arrival=d.date(arrival),
        departure=d.date(arrival + DAY * stay),
        stay=kit.number(stay),
        flight=d.rng.choice(("TG", "QR", "SQ", "TK", "MH")) + str(d.rng.randint(101, 989)),
        host=d.pick("hotels"),
    )
    rows, until = [], kit.today - DAY * d.rng.randint(90, 500)
    for country in d.sample("countries", d.rng.randint(1, 3)):
        begun = until - DAY * d.rng.randint(4, 21)
        rows.append({"country": country, "from": d.date(begun), "to": d.date(until)})
        until = begun - DAY * d.rng.randint(80, 400)
    d.table("visits", "country:3 from:2 to:2", rows)


KINDS: dict[str, Callable[[Draft], None]] = {
    f.__name__: f for f in (bank, government, medical, job, school, expense, leave, survey, visa)
}
