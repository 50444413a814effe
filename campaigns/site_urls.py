"""The website's addresses."""

from __future__ import annotations

from django.urls import path

from campaigns.views.exports import discard_export, export_file, exports_page
from campaigns.views.search import search_page
from campaigns.views.site import kinds
from campaigns.views.site.campaign import campaign_page
from campaigns.views.site.changes import changes_feed, changes_page
from campaigns.views.site.entry import entries_page, entry_page
from campaigns.views.site.fight import fight_page
from campaigns.views.site.home import home
from campaigns.views.site.pictures import picture_file
from campaigns.views.site.session import session_page, session_part

kinds.register()
OF_CAMPAIGN = "campaigns/<slug:slug>/"
OF_SESSION = f"{OF_CAMPAIGN}sessions/<int:number>/"

urlpatterns = [
    path("", home, name="home"),
    path(OF_CAMPAIGN, campaign_page, name="site-campaign"),
    path(f"{OF_CAMPAIGN}changes/", changes_page, name="site-changes"),
    path(f"{OF_CAMPAIGN}changes.atom", changes_feed, name="site-feed"),
    path(f"{OF_CAMPAIGN}pictures/<slug:name>.<picture:form>", picture_file, name="site-picture"),
    path(f"{OF_CAMPAIGN}search/", search_page, name="site-search"),
    path(f"{OF_CAMPAIGN}exports/", exports_page, name="site-exports"),
    path(f"{OF_CAMPAIGN}exports/<int:export_id>/file", export_file, name="site-export-file"),
    path(f"{OF_CAMPAIGN}exports/<int:export_id>/discard", discard_export, name="site-export-act"),
    path(OF_SESSION, session_page, name="site-session"),
    path(f"{OF_SESSION}part", session_part, name="site-session-part"),
    path(f"{OF_SESSION}fights/<int:k>/", fight_page, name="site-fight"),
    path(f"{OF_CAMPAIGN}<entrykind:kind>/", entries_page, name="site-entries"),
    path(f"{OF_CAMPAIGN}<entrykind:kind>/<str:entity_id>/", entry_page, name="site-entry"),
]
