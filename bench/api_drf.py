"""The registry page as a minimal view of Django REST framework makes it: the same rows, fields, token and access."""

from __future__ import annotations

from django.db.models import QuerySet
from django.urls import path
from django.utils import timezone
from rest_framework import authentication, exceptions, generics, serializers  # type: ignore[import-untyped]  # it ships no types
from rest_framework.request import Request  # type: ignore[import-untyped]  # it ships no types

from campaigns.access import Actor, Need, campaign_for
from campaigns.actions import tokens
from campaigns.models import RegistryEntry


class Bearer(authentication.BaseAuthentication):  # type: ignore[misc]  # its base has no types
    def authenticate(self, request: Request) -> tuple[object, Actor]:
        token = tokens.authenticate(request.headers.get("Authorization", "").removeprefix("Bearer "), timezone.now())
        if token is None:
            raise exceptions.AuthenticationFailed
        return token.user, Actor.of_token(token)


class EntrySerializer(serializers.ModelSerializer):  # type: ignore[misc]  # its base has no types
    id = serializers.CharField(source="entity_id")

    class Meta:
        model = RegistryEntry
        fields = ("id", "name", "sessions", "evidence_count")


class EntryList(generics.ListAPIView):  # type: ignore[misc]  # its base has no types
    authentication_classes = (Bearer,)
    serializer_class = EntrySerializer

    def get_queryset(self) -> QuerySet[RegistryEntry]:
        campaign = campaign_for(self.request.auth, self.kwargs["slug"], Need.SEE_APPROVED)
        rows = RegistryEntry.objects.filter(campaign=campaign, edition="gm", kind="npc")
        return rows.order_by("key", "entity_id")[:500]


urlpatterns = [path("drf/<slug:slug>/npcs", EntryList.as_view())]
